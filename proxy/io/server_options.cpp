#include "proxy/io/server_options.hpp"

namespace bellows::proxy {

ProxyServerOptions server_options(const config::ServerSettings& settings,
                                  const config::TraceSettings& trace) {
  ProxyServerOptions options;
  options.max_connections = static_cast<std::size_t>(settings.max_connections);
  options.max_client_connections = static_cast<std::size_t>(settings.max_client_connections);
  options.keep_alive_timeout = settings.idle_timeout;
  options.max_connection_age = settings.max_connection_age;
  const auto bytes = static_cast<std::uint32_t>(settings.max_header_bytes.value);
  options.head = {.fields = static_cast<std::uint32_t>(settings.max_header_lines),
                  .line = bytes,
                  .total = bytes};
  options.head_settings = {.fields = "max-header-lines", .bytes = "max-header-bytes"};
  options.upgrades = UpgradeProtocols(settings.upgrade_protocols);
  options.min_body_rate = settings.min_body_rate.value;
  options.trusted_proxies = TrustedProxies(settings.trusted_proxies);
  options.trace = {.sampling = trace.sampling, .records = trace.collector().has_value()};
  return options;
}

}  // namespace bellows::proxy
