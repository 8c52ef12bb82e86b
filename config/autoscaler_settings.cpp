#include "config/autoscaler_settings.hpp"

#include "config/request_declarations.hpp"

namespace bellows::config {

const Schema<AutoscalerSettings>& autoscaler_schema() {
  using namespace std::chrono_literals;
  using Settings = AutoscalerSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> autoscaler;
    autoscaler.group("Addresses");
    autoscaler.add(&Settings::listen,
                   {.name = "listen",
                    .help = "Address for stats (/v1/stats), /metrics, /healthz and /readyz."});
    declare_admin_hosts(autoscaler, "*");
    autoscaler.include(&Settings::kubernetes, kubernetes_schema());
    autoscaler.include(&Settings::path, path_schema());
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
