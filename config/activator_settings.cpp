#include "config/activator_settings.hpp"

#include "config/request_declarations.hpp"
#include "config/text_formats.hpp"
#include "config/worker_count.hpp"

namespace bellows::config {

namespace {

void declare_addresses(Schema<ActivatorSettings>& activator) {
  using Settings = ActivatorSettings;
  activator.group("Addresses");
  activator.add(&Settings::listen, {.name = "listen", .help = "Address for requests."});
  activator.add(&Settings::admin,
                {.name = "admin", .help = "Address of /metrics, /healthz and /readyz."});
  declare_admin_hosts(activator, "*");
  activator.add(&Settings::autoscaler,
                {.name = "autoscaler",
                 .required = true,
                 .help = "WebSocket that receives stats and scale-from-zero triggers."});
  activator.add(&Settings::name, {.name = "name",
                                  .format = name_format(),
                                  .help = "Name in stats; unique among activators.",
                                  .unset = "the host name, which is that of the pod"});
  activator.include(&Settings::kubernetes, kubernetes_schema());
  activator.add(&Settings::activator_service, activator_service_declaration());
}

void declare_share(Schema<ActivatorSettings>& activator) {
  using Settings = ActivatorSettings;
  activator.group("Several activators");
  activator.add(&Settings::activators,
                {.name = "activators",
                 .bounds = at_least(1),
                 .help = "Number of activators. With container-concurrency and one of Knative's "
                         "load-balancing policies each uses its own subset of the replicas; with "
                         "least-loaded each prefers its subset among equally loaded ones."});
  activator.add(&Settings::activator_index,
                {.name = "activator-index",
                 .bounds = at_least(-1),
                 .help = "Index of this activator, from 0. -1: it is the only one, or unaware of "
                         "others; it uses all replicas."});
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
  if (!host.empty()) return PodName(host);
  return PodName("activator-" + std::to_string(process));
}

const Schema<ActivatorSettings>& activator_schema() {
  using Settings = ActivatorSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> activator;
    declare_addresses(activator);
    activator.group("Failures");
    declare_error_detail(activator);
    declare_share(activator);
    activator.group("Processors");
    declare_workers(activator);
    activator.group("Shutdown");
    activator.add(
        &Settings::drain_timeout,
        {.name = "drain-timeout",
         .bounds = between(std::chrono::seconds(0), std::chrono::hours(24)),
         .help =
             "Time in which requests may finish after SIGTERM; then they are aborted. 0s: at once.",
         .unset =
             "the longest of its services (drain-timeout, else revision-timeout, else 5m); 10m "
             "without services"});
    activator.add(
        &Settings::drain_quiet_time,
        {.name = "drain-quiet-time",
         .bounds = between(std::chrono::seconds(0), std::chrono::minutes(10)),
         .help =
             "After SIGTERM it ends when no request is left, and for this time none has arrived "
             "and no revision's callers were sent here; always within drain-timeout. Set it if "
             "callers learn late that this activator ends: nodes of a cluster take seconds."});
    activator.include(&Settings::tls, tls_schema());
    activator.include(&Settings::server, server_schema());
    activator.include(&Settings::log, log_schema());
    activator.include(&Settings::access_log, access_log_schema());
    activator.include(&Settings::trace, trace_schema());
    return activator;
  }();
  return schema;
}

}  // namespace bellows::config
