// Declarations that services and queue-proxies share: the request queue and time limits. Both
// structs have members of the same names.
#pragma once

#include "config/request_policies.hpp"
#include "config/schema.hpp"

namespace bellows::config {

template <class Settings>
void declare_queue(Schema<Settings>& schema) {
  using namespace std::chrono_literals;
  schema.add(
      &Settings::queue_bytes,
      {.name = "queue-bytes",
       .bounds = between(kibibytes(64), mebibytes(65536)),
       .help = "Maximum memory of queued requests, at least 4Ki each and up to 64Ki more for a "
               "body over HTTP/2; further requests get 503."});
  schema.add(&Settings::queue_age,
             {.name = "queue-age",
              .bounds = between(1ms, 24h),
              .help = "Maximum time of a request in the queue; after it the request gets 503."});
}

template <class Settings>
void declare_tunnel_life(Schema<Settings>& schema) {
  using namespace std::chrono_literals;
  schema.add(
      &Settings::max_tunnel_life,
      {.name = "max-tunnel-life",
       .bounds = between(0s, 8760h),
       .help = "A tunnel (WebSocket) is closed this long after it was opened, whether or not "
               "it is used. 0s: no limit. revision-idle-timeout ends an unused one."});
}

template <class Settings>
void declare_app_protocol(Schema<Settings>& schema) {
  schema.add_choice(&Settings::app_protocol, app_protocol_names(),
                    {.name = "app-protocol",
                     .help = "Version of HTTP that the app uses. h2c: HTTP/2 in the clear with "
                             "prior knowledge, as gRPC servers do; http1: HTTP/1.1; auto: as its "
                             "readiness probe shows, else h2c if the app answers the preface of "
                             "HTTP/2 when it becomes ready. Callers may always use either."});
}

template <class Settings>
void declare_error_detail(Schema<Settings>& schema) {
  schema.add_choice(
      &Settings::error_detail, error_detail_names(),
      {.name = "error-detail",
       .help = "Detail of failures for callers. generic: one sentence and X-Request-Id, by which "
               "the log and `bellows explain --request` have the rest; full: also names and "
               "addresses of replicas, hosts of other services and the app's last line of output. "
               "With full the pages of the admin port have such lines and commands too, otherwise "
               "the control socket alone."});
}

template <class Settings>
void declare_admin_hosts(Schema<Settings>& schema, std::string unset) {
  schema.add(
      &Settings::admin_hosts,
      {.name = "admin-hosts",
       .help = "Accepted Host names of this program's pages, separated by commas. Others get 403, "
               "which stops DNS rebinding. IP addresses, localhost, the machine's host name and "
               "the names beside it in /etc/hosts are always accepted. *: every name.",
       .unset = std::move(unset)});
}

/// The time limit of a part of a request is at most that of the whole request.
template <class Settings>
void add_time_limit_rules(Schema<Settings>& schema) {
  schema.add_rule({{"revision-response-start-timeout", "revision-timeout"},
                   [](const Settings& s) {
                     return s.request_timeout == Duration::zero() ||
                            s.response_start_timeout <= s.request_timeout;
                   },
                   "revision-response-start-timeout at most revision-timeout"});
  schema.add_rule({{"revision-idle-timeout", "revision-timeout"},
                   [](const Settings& s) {
                     return s.request_timeout == Duration::zero() ||
                            s.idle_timeout <= s.request_timeout;
                   },
                   "revision-idle-timeout at most revision-timeout"});
}

}  // namespace bellows::config
