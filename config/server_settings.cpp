#include "config/server_settings.hpp"

namespace bellows::config {

namespace {

using Settings = ServerSettings;

void declare_connections(Schema<Settings>& server) {
  using namespace std::chrono_literals;
  server.add(&Settings::max_connections,
             {.name = "max-connections",
              .bounds = between(1, 1'000'000),
              .help = "Maximum number of callers' connections; fewer if the limit of descriptors "
                      "(nofile) has no room for two each. At the limit a new one replaces the one "
                      "that has been without a request the longest; if all have one, it waits."});
  server.add(&Settings::max_client_connections,
             {.name = "max-connections-per-client",
              .bounds = between(0, 1'000'000),
              .help = "Maximum number of connections from one address (of IPv6, one /64 network); "
                      "more are closed at once. Callers behind one proxy or gateway have one "
                      "address. 0: no limit."});
  server.add(&Settings::idle_timeout,
             {.name = "idle-timeout",
              .bounds = between(1s, 24h),
              .help = "A caller's connection without a request is closed after this time. Set it "
                      "above that of the load balancer in front, so that the balancer closes "
                      "first."});
}

}  // namespace

const Schema<ServerSettings>& server_schema() {
  static const Schema<Settings> schema = [] {
    Schema<Settings> server;
    server.group("Connections and messages");
    declare_connections(server);
    return server;
  }();
  return schema;
}

}  // namespace bellows::config
