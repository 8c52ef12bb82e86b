#include "config/activator_settings.hpp"

#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

void declare_share(Schema<ActivatorSettings>& activator) {
  using Settings = ActivatorSettings;
  activator.group("Among other activators");
  activator.add(
      &Settings::activators,
      {.name = "activators",
       .bounds = at_least(1),
       .help = "How many activators there are. With container-concurrency and one of Knative's "
               "load-balancing policies each keeps to its slice of the replicas; with "
               "least-loaded it takes those first among equally loaded ones."});
  activator.add(&Settings::activator_index,
                {.name = "activator-index",
                 .bounds = at_least(-1),
                 .help = "Which of them this is, from 0 on. -1: it is the only one, or does not "
                         "know of others; it takes all replicas."});
  activator.add_rule({{"activator-index", "activators"},
                      [](const Settings& s) { return s.activator_index < s.activators; },
                      "activator-index below activators"});
  activator.add_rule({{"activator-index", "activators"},
                      [](const Settings& s) { return s.activators == 1 || s.activator_index >= 0; },
                      "activator-index from 0 on where there are several activators"});
}

}  // namespace

PodName source_name(const ActivatorSettings& settings, const std::string& host,
                    std::int64_t process) {
  if (settings.name) return *settings.name;
  if (settings.activator_index >= 0) {
    return PodName("activator-" + std::to_string(settings.activator_index));
  }
  return PodName((host.empty() ? "activator" : host) + "-" + std::to_string(process));
}

const Schema<ActivatorSettings>& activator_schema() {
  using Settings = ActivatorSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> activator;
    activator.group("Addresses");
    activator.add(&Settings::listen, {.name = "listen", .help = "Where callers come in."});
    activator.add(&Settings::admin,
                  {.name = "admin", .help = "Where /metrics, /healthz and /readyz are."});
    activator.add(&Settings::cluster,
                  {.name = "cluster",
                   .format = unix_socket_format(),
                   .required = true,
                   .help = "The Unix socket that `bellows up --autoscaler` offers."});
    activator.add(&Settings::autoscaler, {.name = "autoscaler",
                                          .required = true,
                                          .help = "Where stats and wakes go, over WebSocket."});
    activator.add(&Settings::name, {.name = "name",
                                    .format = name_format(),
                                    .help = "Its name in stats, unique among activators.",
                                    .unset = "activator-INDEX with activator-index, else host "
                                             "name and process id"});
    activator.group("Limits of a request");
    activator.add(&Settings::max_header_bytes,
                  {.name = "max-header-bytes",
                   // A queue-proxy reads 64 KiB, of which ten may be ours (Forwarded and the like).
                   .bounds = between(kibibytes(1), kibibytes(52)),
                   .help = "Request line and headers together. A longer request line is answered "
                           "with 414, more headers with 431."});
    activator.add(&Settings::max_headers,
                  {.name = "max-headers",
                   // A queue-proxy reads 128, of which six may be ours.
                   .bounds = between(8, 122),
                   .help = "Header lines of a request; more is answered with 431."});
    declare_share(activator);
    activator.group("Leaving");
    activator.add(&Settings::drain_timeout,
                  {.name = "drain-timeout",
                   .bounds = between(std::chrono::seconds(0), std::chrono::hours(24)),
                   .help = "The longest that requests may go on after SIGTERM; then they are cut "
                           "off. 0s: at once.",
                   .unset = "the longest of its services, each its drain-timeout, else "
                            "revision-timeout, else 5m; 10m if it knows of none"});
    activator.include(&Settings::log, log_schema());
    activator.include(&Settings::access_log, access_log_schema());
    return activator;
  }();
  return schema;
}

}  // namespace bellows::config
