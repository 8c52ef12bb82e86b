#include "proxy/io/server_options.hpp"

namespace bellows::proxy {

ProxyServerOptions server_options(const config::ServerSettings& settings) {
  ProxyServerOptions options;
  options.max_connections = static_cast<std::size_t>(settings.max_connections);
  options.max_client_connections = static_cast<std::size_t>(settings.max_client_connections);
  options.keep_alive_timeout = settings.idle_timeout;
  return options;
}

}  // namespace bellows::proxy
