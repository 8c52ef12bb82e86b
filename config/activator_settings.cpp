#include "config/activator_settings.hpp"

namespace bellows::config {

PodName source_name(const ActivatorSettings& settings, const std::string& host,
                    std::int64_t process) {
  if (settings.name) return *settings.name;
  if (!host.empty()) return PodName(host);
  return PodName("activator-" + std::to_string(process));
}

const Schema<ActivatorSettings>& activator_schema() {
  using Settings = ActivatorSettings;
  static const Schema<Settings> schema = [] {
    auto activator = Schema<Settings>::of(Program::kActivator);
    activator.include(&Settings::kubernetes, schema_of<KubernetesSettings>());
    activator.include(&Settings::tls, tls_schema());
    activator.include(&Settings::server, schema_of<ServerSettings>());
    activator.include(&Settings::log, schema_of<LogSettings>());
    activator.include(&Settings::access_log, schema_of<AccessLogSettings>());
    activator.include(&Settings::trace, schema_of<TraceSettings>());
    return activator;
  }();
  return schema;
}

}  // namespace bellows::config
