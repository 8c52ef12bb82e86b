#include "config/autoscaler_settings.hpp"

namespace bellows::config {

const Schema<AutoscalerSettings>& autoscaler_schema() {
  using Settings = AutoscalerSettings;
  static const Schema<Settings> schema = [] {
    auto autoscaler = Schema<Settings>::of(Program::kAutoscaler);
    autoscaler.include(&Settings::kubernetes, schema_of<KubernetesSettings>());
    autoscaler.include(&Settings::path, schema_of<PathSettings>());
    autoscaler.include(&Settings::log, schema_of<LogSettings>());
    return autoscaler;
  }();
  return schema;
}

}  // namespace bellows::config
