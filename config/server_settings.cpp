#include "config/server_settings.hpp"

#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

void declare_connections(Schema<ServerSettings>& server) {
  using namespace std::chrono_literals;
  server.add(&ServerSettings::max_connections,
             {.name = "max-connections",
              .bounds = between(1, 1'000'000),
              .help = "Maximum number of callers' connections; fewer if the limit of descriptors "
                      "(nofile) has no room for two each. At the limit a new one replaces the one "
                      "that has been without a request the longest; if all have one, the next "
                      "response is the last of its connection."});
  server.add(&ServerSettings::max_client_connections,
             {.name = "max-connections-per-client",
              .bounds = between(0, 1'000'000),
              .help = "Maximum number of connections from one address (of IPv6, one /64 network); "
                      "more are closed at once. Callers behind one proxy or gateway have one "
                      "address. 0: no limit."});
  server.add(&ServerSettings::idle_timeout,
             {.name = "idle-timeout",
              .bounds = between(1s, 24h),
              .help = "A caller's connection without a request is closed after this time. Set it "
                      "above that of the load balancer in front, so that the balancer closes "
                      "first."});
  server.add(&ServerSettings::max_connection_age,
             {.name = "max-connection-age",
              .bounds = between(0s, 168h),
              .help = "A caller's connection ends after this time, give or take a tenth: over "
                      "HTTP/2 with GOAWAY, over HTTP/1.1 with its next response. So callers with "
                      "long connections find new replicas and new addresses. 0: no limit."});
}

void declare_messages(Schema<ServerSettings>& server) {
  server.add(
      &ServerSettings::max_header_bytes,
      {.name = "max-header-bytes",
       .bounds = between(kibibytes(1), mebibytes(1)),
       .help = "Maximum size of a start line and its headers together. A longer request line "
               "gets 414, larger headers of a request get 431, of an app's response 502. "
               "Memory is taken as a head grows, not before."});
  server.add(&ServerSettings::max_header_lines,
             {.name = "max-header-lines",
              .deprecated = {"max-headers"},
              .bounds = between(8, 1000),
              .help = "Maximum number of header lines of a message; of a request more get 431, of "
                      "an app's response 502."});
  server.add(&ServerSettings::min_body_rate,
             {.name = "min-body-rate",
              .bounds = between(Bytes{0}, mebibytes(1)),
              .help = "Bytes a second at which the body of a request has to arrive until the "
                      "response begins; a caller that falls behind by 30s gets 408. Time in which "
                      "the app does not read does not count. 0: no limit; set it where callers "
                      "send parts of a body with long pauses."});
  server.add(&ServerSettings::upgrade_protocols,
             {.name = "upgrade-protocols",
              .format = upgrade_list_format(),
              .help = "Protocols to which a connection may switch (Upgrade). A request for another "
                      "one is served as HTTP/1.1. HTTP/2 (h2c) cannot be listed: its requests "
                      "would bypass the rules for header fields."});
}

void declare_trust(Schema<ServerSettings>& server) {
  server.add(&ServerSettings::trusted_proxies,
             {.name = "trusted-proxies",
              .format = proxy_list_format(),
              .help = "Networks of proxies whose Forwarded and X-Forwarded-* are kept and "
                      "extended. Those of other callers are replaced, because anybody can write "
                      "them. private: loopback, private, unique local and link-local networks; "
                      "none: replace them always. A Unix socket's callers are trusted."});
}

}  // namespace

const Schema<ServerSettings>& server_schema() {
  static const Schema<ServerSettings> schema = [] {
    Schema<ServerSettings> server;
    server.group("Connections and messages");
    declare_connections(server);
    declare_messages(server);
    declare_trust(server);
    return server;
  }();
  return schema;
}

}  // namespace bellows::config
