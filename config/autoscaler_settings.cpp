#include "config/autoscaler_settings.hpp"

#include "config/text_formats.hpp"

namespace bellows::config {

const Schema<AutoscalerSettings>& autoscaler_schema() {
  using namespace std::chrono_literals;
  using Settings = AutoscalerSettings;
  static const Schema<Settings> schema = [] {
    Schema<Settings> autoscaler;
    autoscaler.group("Addresses");
    autoscaler.add(
        &Settings::listen,
        {.name = "listen",
         .help = "Where stats come in (/v1/stats) and /metrics, /healthz, /readyz are."});
    autoscaler.add(&Settings::cluster,
                   {.name = "cluster",
                    .format = unix_socket_format(),
                    .required = true,
                    .help = "The Unix socket that `bellows up --autoscaler` offers."});
    autoscaler.group("Memory");
    autoscaler.add(&Settings::state_file,
                   {.name = "state-file",
                    .help = "Where panic and delay state is kept across restarts.",
                    .unset = "it is not kept"});
    autoscaler.add(&Settings::dead_source_after,
                   {.name = "dead-source-after",
                    .bounds = between(2s, 1h),
                    .help = "A replica or activator whose stats stay away this long counts as "
                            "gone; until then its seconds are unknown."});
    autoscaler.include(&Settings::log, log_schema());
    return autoscaler;
  }();
  return schema;
}

}  // namespace bellows::config
