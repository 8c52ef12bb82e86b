#include "config/autoscaler_settings.hpp"

#include "config/request_declarations.hpp"

namespace bellows::config {

Endpoint AutoscalerSettings::listen_address() const {
  return listen.value_or(Endpoint{
      .host = is_on_kubernetes() ? "0.0.0.0" : "127.0.0.1", .port = 8080, .unix_path = {}});
}

const Schema<AutoscalerSettings>& autoscaler_schema() {
  using namespace std::chrono_literals;
  using Settings = AutoscalerSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> autoscaler;
    autoscaler.group("Addresses");
    autoscaler.add(&Settings::listen,
                   {.name = "listen",
                    .help = "Address for stats (/v1/stats), /metrics, /healthz and /readyz.",
                    .unset = "127.0.0.1:8080; 0.0.0.0:8080 on Kubernetes"});
    declare_admin_hosts(autoscaler, "none; on Kubernetes *");
    declare_control_socket(autoscaler);
    autoscaler.add(&Settings::cluster,
                   {.name = "cluster",
                    .format = cluster_format(),
                    .required = true,
                    .help = "Where the replicas run: kubernetes, or the Unix socket offered by "
                            "`bellows up --autoscaler`."});
    include_kubernetes(autoscaler, &Settings::kubernetes);
    autoscaler.include(&Settings::path, path_schema());
    autoscaler.add_rule({.settings = {"activator-service", "activator-ports", "path-settle-time",
                                      "last-resort-endpoints"},
                         .holds =
                             [](const Settings& settings) {
                               return settings.is_on_kubernetes() ||
                                      settings.path == PathSettings();
                             },
                         .want = "none of them unless cluster is kubernetes"});
    autoscaler.group("State");
    autoscaler.add(&Settings::state_file,
                   {.name = "state-file",
                    .help = "File that keeps panic and delay state across restarts.",
                    .unset = "state is lost at a restart"});
    autoscaler.add(&Settings::dead_source_after,
                   {.name = "dead-source-after",
                    .bounds = between(2s, 1h),
                    .help = "A replica or activator without stats for this long counts as gone. "
                            "Until then its seconds are unknown."});
    autoscaler.include(&Settings::log, log_schema());
    return autoscaler;
  }();
  return schema;
}

}  // namespace bellows::config
