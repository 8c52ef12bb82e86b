#include "config/queue_proxy_settings.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/config/settings_text.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using Strings = std::vector<std::string>;

Checked<QueueProxySettings> read(const Environment& environment, Pairs flag_pairs = {}) {
  const auto& schema = queue_proxy_schema();
  return schema.apply({environment_layer(schema.declarations(), environment), flags(flag_pairs)});
}

TEST(QueueProxySettings, NeedOnlyTheAppsPort) {
  const auto settings = read({{"USER_PORT", "3000"}});
  ASSERT_TRUE(settings.has_value());
  QueueProxySettings expected;
  expected.user_port = 3000;
  EXPECT_EQ(*settings, expected);
  EXPECT_EQ(settings->serving_port, 8012);
  EXPECT_EQ(settings->admin_port, 8022);
  EXPECT_EQ(problems(read({})), (Strings{"--user-port (environment USER_PORT): it is missing; want "
                                         "a whole number from 1 to 65535"}));
}

TEST(QueueProxySettings, ReadTheEnvironmentOfKnative) {
  const auto settings =
      read({{"CONTAINER_CONCURRENCY", "10"},
            {"QUEUE_SERVING_PORT", "8012"},
            {"USER_PORT", "8080"},
            {"REVISION_TIMEOUT_SECONDS", "600"},
            {"REVISION_RESPONSE_START_TIMEOUT_SECONDS", "30"},
            {"REVISION_IDLE_TIMEOUT_SECONDS", "0"},
            {"SERVING_READINESS_PROBE",
             R"({"httpGet":{"path":"/up","port":8080,"host":"127.0.0.1","scheme":"HTTP"},)"
             R"("timeoutSeconds":5,"periodSeconds":20,"failureThreshold":2,"successThreshold":1})"},
            {"SERVING_NAMESPACE", "default"},
            {"SERVING_REVISION", "hello-00001"},
            {"SERVING_POD", "hello-00001-deployment-7d9f"},
            {"SERVING_POD_IP", "10.0.0.7"},
            {"SERVING_SERVICE", "hello"},
            {"ENABLE_HTTP2_AUTO_DETECTION", "false"}});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  QueueProxySettings expected;
  expected.service = RevisionId("hello");
  expected.revision = RevisionId("hello-00001");
  expected.pod = PodName("hello-00001-deployment-7d9f");
  expected.user_port = 8080;
  expected.container_concurrency = 10;
  expected.request_timeout = 600s;
  expected.response_start_timeout = 30s;
  expected.readiness = {.path = "/up",
                        .host = "127.0.0.1",
                        .port = 8080,
                        .timeout = 5s,
                        .period = 20s,
                        .failure_threshold = 2};
  EXPECT_EQ(*settings, expected);
}

TEST(QueueProxySettings, HaveOurOwnVariablesToo) {
  const auto settings = read({{"USER_PORT", "1"},
                              {"SERVING_REVISION", "web"},
                              {"SERVING_POD", "web-1"},
                              {"QUEUE_SERVING_PORT", "0"},
                              {"BELLOWS_ADMIN_PORT", "0"},
                              {"BELLOWS_LISTEN_HOST", "127.0.0.1"},
                              {"BELLOWS_USER_HOST", "::1"},
                              {"BELLOWS_AUTOSCALER", "ws://127.0.0.1:8081/v1/stats"},
                              {"BELLOWS_NOTIFY_FD", "3"},
                              {"BELLOWS_QUEUE_DEPTH", "7"},
                              {"BELLOWS_QUEUE_BYTES", "1Mi"},
                              {"BELLOWS_QUEUE_AGE", "5s"},
                              {"BELLOWS_WINDOW", "10s"},
                              {"BELLOWS_DRAIN_TIMEOUT", "20s"},
                              {"BELLOWS_LOG_FORMAT", "json"},
                              {"BELLOWS_LOG_LEVEL", "error"}});
  ASSERT_TRUE(settings.has_value()) << problems_text(settings.error());
  EXPECT_EQ(settings->serving_port, 0);
  EXPECT_EQ(settings->admin_port, 0);
  EXPECT_EQ(settings->listen_host, "127.0.0.1");
  EXPECT_EQ(settings->user_host, "::1");
  EXPECT_EQ(to_string(settings->autoscaler), "ws://127.0.0.1:8081/v1/stats");
  EXPECT_EQ(settings->notify_fd, 3);
  EXPECT_EQ(settings->queue_depth, 7);
  EXPECT_EQ(settings->queue_bytes, mebibytes(1));
  EXPECT_EQ(settings->queue_age, 5s);
  EXPECT_EQ(settings->window, 10s);
  EXPECT_EQ(settings->drain_timeout, 20s);
  EXPECT_EQ(settings->log, (LogSettings{LogFormat::kJson, LogLevel::kError}));
}

TEST(QueueProxySettings, LetFlagsOverrideTheEnvironment) {
  const auto settings = read({{"USER_PORT", "1"}, {"REVISION_TIMEOUT_SECONDS", "600"}},
                             {{"user-port", "2"}, {"revision-timeout", "1m"}});
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->user_port, 2);
  EXPECT_EQ(settings->request_timeout, 1min);
}

TEST(QueueProxySettings, QueueTenTimesTheConcurrencyUnlessQueueDepthIsSet) {
  EXPECT_EQ(read({{"USER_PORT", "1"}})->waiting_limit(), 0);
  EXPECT_EQ(read({{"USER_PORT", "1"}, {"CONTAINER_CONCURRENCY", "5"}})->waiting_limit(), 50);
  EXPECT_EQ(read({{"USER_PORT", "1"}, {"CONTAINER_CONCURRENCY", "5"}, {"BELLOWS_QUEUE_DEPTH", "0"}})
                ->waiting_limit(),
            0);
}

TEST(QueueProxySettings, DrainForTheRequestTimeoutUnlessDrainTimeoutIsSet) {
  const auto drain_time = [](const Pairs& flag_pairs) {
    return read({{"USER_PORT", "1"}}, flag_pairs)->drain_time();
  };
  EXPECT_EQ(drain_time({}), 5min) << "the default of revision-timeout";
  EXPECT_EQ(drain_time({{"revision-timeout", "30m"}}), 30min);
  EXPECT_EQ(drain_time({{"revision-timeout", "10s"}}), 10s);
  EXPECT_EQ(drain_time({{"revision-timeout", "0s"}}), 5min);
  EXPECT_EQ(drain_time({{"revision-timeout", "30m"}, {"drain-timeout", "0s"}}), 0s);
  EXPECT_EQ(drain_time({{"revision-timeout", "30m"}, {"drain-timeout", "2h"}}), 2h);
}

TEST(QueueProxySettings, ProbeALocalAppEvery5msAndARemoteOneEvery25ms) {
  const auto interval = [](const std::string& host) {
    return read({{"USER_PORT", "1"}, {"BELLOWS_USER_HOST", host}})->starting_probe_interval();
  };
  EXPECT_EQ(interval("127.0.0.1"), 5ms);
  EXPECT_EQ(interval("::1"), 5ms);
  EXPECT_EQ(interval("localhost"), 5ms);
  EXPECT_EQ(interval("10.0.0.7"), 25ms);
}

struct CheckedCase {
  std::string key;
  Strings valid;
  Strings refused;
};

std::vector<CheckedCase> server_cases() {
  return {
      {"max-connections", {"1", "1000000"}, {"0", "1000001", ""}},
      {"max-connections-per-client", {"0", "1000000"}, {"-1", "1000001", ""}},
      {"idle-timeout", {"1s", "24h"}, {"0s", "25h", ""}},
      {"max-connection-age", {"0s", "1h", "168h"}, {"169h", ""}},
      {"max-header-bytes", {"1Ki", "1Mi"}, {"1023", "1048577", ""}},
      {"max-header-lines", {"8", "1000"}, {"7", "1001", ""}},
      {"min-body-rate", {"0", "64", "1Mi"}, {"-1", "2Mi", ""}},
      {"trusted-proxies",
       {"private", "none", "10.0.0.0/8, ::1", "private,203.0.113.7"},
       {"", ",", "10.1.0.0/8", "none,private", "example.com"}},
      {"trace-sampling", {"0", "0.25", "1"}, {"-0.1", "1.1", ""}},
      {"otlp-endpoint",
       {"", "http://127.0.0.1:4318", "http://otel.example:4318/v1/traces", "http://[::1]:4318/"},
       {"127.0.0.1:4318", "https://a:4318", "http://a", "http://a:0", "http://a:4318/a b"}},
      {"upgrade-protocols",
       {"", "websocket", "websocket, IRC/6.9"},
       {",", "h2c", "websocket,H2C-14", "HTTP/2.0", "TLS/1.0", "\"h2c\"", "h2c;x=1", "a b"}},
  };
}

/// What liveness-probe needs is among it.
const Environment kRequired = {{"USER_PORT", "1"}, {"BELLOWS_NOTIFY_FD", "3"}};

std::vector<CheckedCase> own_cases() {
  return {
      {"listen-host", {"0.0.0.0", "::", "localhost"}, {"", "a:80"}},
      {"queue-serving-port", {"0", "65535"}, {"-1", "65536"}},
      {"admin-port", {"0", "65535"}, {"-1", "65536"}},
      {"user-host", {"127.0.0.1"}, {""}},
      {"user-port", {"1", "65535"}, {"0", "65536", ""}},
      {"autoscaler", {""}, {"127.0.0.1:8080"}},
      {"stat-secret", {"", "51d0f2"}, {"a b", "a\r\nX: y"}},
      {"stats-token-file", {"", "/var/run/token"}, {}},
      {"error-detail", {"generic", "full"}, {"", "none"}},
      {"activator-port", {"0", "8013", "65535"}, {"", "-1", "65536"}},
      {"drain-port", {"0", "8023", "65535"}, {"", "-1", "65536"}},
      {"behind-activator", {"true", "false"}, {"", "1"}},
      {"notify-fd", {"-1", "0", "3"}, {"-2"}},
      {"container-concurrency", {"0", "1000"}, {"-1", "1001"}},
      {"queue-depth", {"0", "1000000"}, {"-1", "1000001", ""}},
      {"queue-bytes", {"64Ki", "64Gi"}, {"65535", "65Gi"}},
      {"queue-age", {"1ms", "24h"}, {"0s", "25h"}},
      {"revision-timeout", {"0s", "24h"}, {"25h", "300"}},
      {"revision-response-start-timeout", {"0s", "300s"}, {"301s", "25h"}},
      {"revision-idle-timeout", {"0s", "300s"}, {"301s", "25h"}},
      {"max-tunnel-life", {"0s", "1h", "8760h", "365d"}, {"8761h", "1w"}},
      {"readiness-probe",
       {"", "/", "grpc", R"({"tcpSocket":{}})"},
       {"x", R"({"run":{}})", R"({})"}},
      {"liveness-probe", {"/live", R"({"tcpSocket":{}})"}, {"x", R"({"run":{}})", R"({})"}},
      {"app-protocol", {"auto", "http1", "h2c"}, {"", "h2"}},
      {"queue-time-header", {"asked", "waited", "always"}, {"", "never"}},
      {"probe-user-agents", {"", "GoogleHC/, ELB-HealthChecker/"}, {","}},
      {"probe-paths", {"", "/healthz, /livez"}, {"healthz"}},
      {"access-log", {"true", "false"}, {"", "1"}},
      {"access-log-template",
       {"", "${method} ${url} ${status}", "$ is text"},
       {"${", "${verb}", "a\nb"}},
      {"access-log-probes", {"true", "false"}, {""}},
      {"drain-timeout", {"0s", "24h"}, {"25h"}},
      {"drain-quiet-time", {"0s", "4s", "10m"}, {"", "-1s", "601s"}},
      {"window", {"2s", "1h"}, {"1s", "61m", "2500ms"}},
      {"service", {"", "hello"}, {}},
      {"revision", {"", "hello-00001"}, {}},
      {"pod", {"", "a"}, {}},
      {"log-format", {"plain", "json"}, {"", "text"}},
      {"log-level", {"debug", "info", "warning", "error", "off"}, {"", "warn"}},
  };
}

TEST(QueueProxySettings, RejectValuesOutOfTheBoundsOfEverySetting) {
  std::vector<CheckedCase> cases = own_cases();
  const std::vector<CheckedCase> more = server_cases();
  cases.insert(cases.end(), more.begin(), more.end());
  std::set<std::string> covered;
  for (const CheckedCase& each : cases) {
    covered.insert(each.key);
    for (const auto& value : each.valid) {
      EXPECT_TRUE(read(kRequired, {{each.key, value}})) << each.key << " " << value;
    }
    for (const auto& value : each.refused) {
      EXPECT_FALSE(read(kRequired, {{each.key, value}})) << each.key << " " << value;
    }
  }
  EXPECT_FALSE(read({{"USER_PORT", "1"}}, {{"liveness-probe", "/live"}})) << "nobody is told";
  for (const Declaration& declaration : queue_proxy_schema().declarations()) {
    EXPECT_TRUE(covered.contains(declaration.name)) << declaration.name << " has no case";
  }
}

TEST(QueueProxySettings, ReportEveryProblemWithItsVariable) {
  EXPECT_EQ(
      problems(read({{"CONTAINER_CONCURRENCY", "many"},
                     {"REVISION_TIMEOUT_SECONDS", "5m"},
                     {"SERVING_READINESS_PROBE", "{\"run\":{}}"},
                     {"BELLOWS_QUEUE_DEPHT", "5"}})),
      (Strings{
          "environment BELLOWS_QUEUE_DEPHT: unknown setting; did you mean BELLOWS_QUEUE_DEPTH?",
          "environment CONTAINER_CONCURRENCY: \"many\": want a whole number from 0 to 1000",
          "environment REVISION_TIMEOUT_SECONDS: \"5m\": want a duration (90s, 1m30s) from 0s to "
          "24h, "
          "here as a bare number of seconds",
          "environment SERVING_READINESS_PROBE: \"{\"run\":{}}\": want a path that starts with /, "
          "grpc, grpc:SERVICE, "
          "nothing, or the JSON of a Kubernetes probe (or a list of them) with httpGet, tcpSocket, "
          "grpc or exec and its times as whole numbers",
          "--user-port (environment USER_PORT): it is missing; want a whole number from 1 to "
          "65535"}));
}

TEST(QueueProxySettings, NeedDifferentPorts) {
  EXPECT_EQ(problems(read({{"USER_PORT", "1"}, {"BELLOWS_ADMIN_PORT", "8012"}})),
            (Strings{"environment BELLOWS_ADMIN_PORT: \"8012\" together with queue-serving-port "
                     "\"8012\" (the default) and activator-port \"\" (the default) and drain-port "
                     "\"\" (the default): want different ports, or 0"}));
  EXPECT_FALSE(read({{"USER_PORT", "1"}}, {{"activator-port", "8012"}}));
  EXPECT_FALSE(read({{"USER_PORT", "1"}}, {{"activator-port", "8013"}, {"drain-port", "8013"}}));
  EXPECT_TRUE(read({{"USER_PORT", "1"}}, {{"activator-port", "8013"}, {"drain-port", "8023"}}));
  EXPECT_TRUE(read({{"USER_PORT", "1"}}, {{"queue-serving-port", "0"},
                                          {"admin-port", "0"},
                                          {"activator-port", "0"},
                                          {"drain-port", "0"}}));
}

TEST(QueueProxySettings, NeedOnePortForActivatorsAtMost) {
  EXPECT_EQ(problems(read({{"USER_PORT", "1"}},
                          {{"behind-activator", "true"}, {"activator-port", "8013"}})),
            (Strings{"--behind-activator: \"true\" together with activator-port \"8013\" "
                     "(--activator-port): want one of the two"}));
  EXPECT_TRUE(read({{"USER_PORT", "1"}}, {{"behind-activator", "true"}}));
}

TEST(QueueProxySettings, NeedARevisionAndAPodIfStatsAreSent) {
  EXPECT_EQ(
      problems(read({{"USER_PORT", "1"}, {"BELLOWS_AUTOSCALER", "ws://a:1"}})),
      (Strings{
          "environment BELLOWS_AUTOSCALER: \"ws://a:1\" together with revision \"\" (the default) "
          "and pod \"\" (the default): want revision and pod, because stats name both"}));
}

}  // namespace
}  // namespace bellows::config
