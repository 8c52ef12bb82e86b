#include "cluster/local/queue_proxy_contract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/queue_proxy_settings.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;

config::Service web_service() {
  config::Service service;
  service.name = RevisionId("web-00002");
  service.of = RevisionId("web");
  service.settings.container_concurrency = 3;
  service.settings.request_timeout = 20s;
  service.settings.response_start_timeout = 1500ms;
  service.settings.idle_timeout = 50ms;
  service.settings.queue_bytes = mebibytes(2);
  service.settings.queue_age = 7s;
  service.settings.drain_timeout = 11s;
  service.settings.window = 12s;
  service.settings.readiness_path = "/re\"ady";
  return service;
}

config::QueueProxySettings settings_of(const std::map<std::string, std::string>& environment) {
  const auto& schema = config::queue_proxy_schema();
  const auto settings =
      schema.apply({config::environment_layer(schema.declarations(), environment)});
  if (settings) return *settings;
  for (const Error& error : settings.error()) ADD_FAILURE() << to_string(error);
  return {};
}

TEST(QueueProxyEnvironment, HasTheDrainTimeOfItsRequests) {
  config::Service service = web_service();
  service.settings.drain_timeout.reset();
  service.settings.request_timeout = 30min;
  EXPECT_EQ(settings_of(queue_proxy_environment(service, {PodName("web-4"), 24001, "", ""}))
                .drain_timeout,
            30min);
}

TEST(QueueProxyEnvironment, IsParsedByTheSettingsOfTheQueueProxy) {
  const auto settings = settings_of(queue_proxy_environment(
      web_service(), {PodName("web-4"), 24001, "ws://127.0.0.1:7070/v1/stats", "json"}));
  config::QueueProxySettings expected;
  expected.service = RevisionId("web");
  expected.revision = RevisionId("web-00002");
  expected.pod = PodName("web-4");
  expected.listen_host = "127.0.0.1";
  expected.serving_port = 0;
  expected.admin_port = 0;
  expected.user_port = 24001;
  expected.autoscaler = settings.autoscaler;
  expected.behind_activator = true;
  expected.request_timeout = 20s;
  expected.response_start_timeout = 1500ms;
  expected.idle_timeout = 50ms;
  expected.container_concurrency = 3;
  expected.queue_bytes = mebibytes(2);
  expected.queue_age = 7s;
  expected.readiness.path = "/re\"ady";
  expected.drain_timeout = 11s;
  expected.window = 12s;
  expected.log = settings.log;
  EXPECT_EQ(settings, expected);
  EXPECT_FALSE(settings.autoscaler.empty());
}

config::QueueProxySettings with_liveness(const std::string& path) {
  config::Service service = web_service();
  service.settings.liveness_path = path;
  service.settings.liveness_period = 7s;
  service.settings.liveness_timeout = 2s;
  service.settings.liveness_threshold = 5;
  auto environment = queue_proxy_environment(service, {PodName("web-4"), 24001, "", ""});
  environment[kNotifyVariable] = "3";
  return settings_of(environment);
}

TEST(QueueProxyEnvironment, HasTheLivenessProbe) {
  config::ReadinessProbe probe{
      .path = "/live", .timeout = 2s, .period = 7s, .failure_threshold = 5};
  EXPECT_EQ(with_liveness("/live").liveness, probe);
  probe.path.clear();
  EXPECT_EQ(with_liveness("tcp").liveness, probe);
  probe.port = 9000;
  EXPECT_EQ(with_liveness("9000").liveness, probe);
  EXPECT_EQ(with_liveness("").liveness, std::nullopt);
}

TEST(QueueProxyEnvironment, HasTheLimitsOfMessagesButNotThoseOfCallers) {
  QueueProxySpec spec{PodName("web-1"), 24001, "", ""};
  spec.server.max_header_bytes = mebibytes(1);
  spec.server.max_header_lines = 500;
  spec.server.upgrade_protocols = "websocket, IRC";
  spec.server.max_connections = 7;
  spec.server.max_client_connections = 3;
  auto environment = queue_proxy_environment(web_service(), spec);
  // A replica inherits what its environment does not replace.
  for (const char* inherited : {"BELLOWS_MAX_HEADER_LINES", "BELLOWS_MAX_CONNECTIONS"}) {
    environment.try_emplace(inherited, "9");
  }
  config::ServerSettings expected = spec.server;
  expected.max_connections = config::ServerSettings().max_connections;
  expected.max_client_connections = 0;
  EXPECT_EQ(settings_of(environment).server, expected);
}

TEST(QueueProxyEnvironment, LeavesOutWhatIsNotSet) {
  config::Service service;
  service.name = RevisionId("web");
  const auto environment = queue_proxy_environment(service, {PodName("web-1"), 24001, "", ""});
  EXPECT_FALSE(environment.contains("BELLOWS_AUTOSCALER"));
  EXPECT_FALSE(environment.contains("BELLOWS_LOG_FORMAT"));
  EXPECT_EQ(settings_of(environment).readiness, config::ReadinessProbe());
}

ProxyEvent event(std::string_view line) {
  const auto read = parse_proxy_event(line);
  EXPECT_TRUE(read.has_value() && read->has_value()) << line;
  return read.value().value();
}

TEST(QueueProxyEvent, IsParsedFromItsLine) {
  EXPECT_EQ(event(R"({"event":"listening","serving":"127.0.0.1:40001","admin":"127.0.0.1:40002"})"),
            ProxyEvent(ProxyListening{{"127.0.0.1", 40001, ""}, {"127.0.0.1", 40002, ""}}));
  EXPECT_EQ(event(R"({"event":"ready"})"), ProxyEvent(ProxyReady{}));
  EXPECT_EQ(event(R"({"event":"ready","app_protocol":"h2c"})"), ProxyEvent(ProxyReady{"h2c"}));
  EXPECT_EQ(event(R"({"event":"unready","reason":"no answer"})"),
            ProxyEvent(ProxyUnready{"no answer"}));
  EXPECT_EQ(event(R"({"event":"hung","reason":"no answer","silent_ms":3012})"),
            ProxyEvent(ProxyHung{"no answer", 3012ms}));
  EXPECT_EQ(event(R"({"event":"draining","since_ms":4})"), ProxyEvent(ProxyDraining{}));
  EXPECT_EQ(event(R"({"event":"signalled"})"), ProxyEvent(ProxySignalled{}));
  EXPECT_EQ(event(R"({"event":"tunnels-left"})"), ProxyEvent(ProxyTunnelsLeft{}));
}

TEST(QueueProxyEventOfANewerVersion, IsIgnored) {
  const auto read = parse_proxy_event(R"({"event":"dancing"})");
  ASSERT_TRUE(read.has_value());
  EXPECT_FALSE(read->has_value());
}

TEST(QueueProxyEventThatIsMalformed, IsAnError) {
  for (const char* line : {"", "ready", "[]", "{}", R"({"event":7})", R"({"event":"listening"})",
                           R"({"event":"hung","reason":"x"})",
                           R"({"event":"listening","serving":"here","admin":"127.0.0.1:1"})"}) {
    EXPECT_FALSE(parse_proxy_event(line).has_value()) << line;
  }
}

TEST(QueueProxyEnvironment, AnAppThatACommandStartedIsProbedForItsEnd) {
  config::Service service;
  service.name = RevisionId("web");
  EXPECT_EQ(queue_proxy_environment(service, {}).at("BELLOWS_LIVENESS_PROBE"), "");
  service.is_starter = true;
  EXPECT_THAT(queue_proxy_environment(service, {}).at("BELLOWS_LIVENESS_PROBE"),
              testing::HasSubstr("tcpSocket"));
}

}  // namespace
}  // namespace bellows::cluster
