// Declarations that services and queue-proxies share: the request queue and time limits. Both
// structs have members of the same names.
#pragma once

#include "config/schema.hpp"

namespace bellows::config {

template <class Settings>
void declare_queue(Schema<Settings>& schema) {
  using namespace std::chrono_literals;
  schema.add(
      &Settings::queue_bytes,
      {.name = "queue-bytes",
       .bounds = between(kibibytes(64), mebibytes(65536)),
       .help = "Maximum memory of queued requests, at least 4Ki each; further requests get 503."});
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
