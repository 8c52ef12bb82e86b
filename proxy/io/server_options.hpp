// Converts the settings of a program to the options of its ProxyServer.
#pragma once

#include "config/server_settings.hpp"
#include "config/trace_settings.hpp"
#include "proxy/io/server_state.hpp"

namespace bellows::proxy {

ProxyServerOptions server_options(const config::ServerSettings& settings,
                                  const config::TraceSettings& trace);

}  // namespace bellows::proxy
