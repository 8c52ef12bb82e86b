#include "config/readiness_probe.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

TEST(ReadinessProbe, ReadsTheJsonOfKnative) {
  EXPECT_EQ(read_readiness_probe(R"({"tcpSocket":{"port":8080,"host":"127.0.0.1"},)"
                                 R"("successThreshold":1})"),
            (ReadinessProbe{.path = "", .host = "127.0.0.1", .port = 8080}));
  EXPECT_EQ(read_readiness_probe(R"({"httpGet":{"path":"/healthz","port":8080,"host":"127.0.0.1",)"
                                 R"("scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10})"),
            (ReadinessProbe{.path = "/healthz", .host = "127.0.0.1", .port = 8080}));
  EXPECT_EQ(read_readiness_probe(R"({"tcpSocket":{}})"), ReadinessProbe());
}

TEST(ReadinessProbe, ReadsTimesAndThresholdAndZeroAsTheDefault) {
  EXPECT_EQ(read_readiness_probe(R"({"httpGet":{"path":"/"},)"
                                 R"("timeoutSeconds":10,"failureThreshold":30,"periodSeconds":60,)"
                                 R"("initialDelaySeconds":5})"),
            (ReadinessProbe{.path = "/",
                            .host = "",
                            .port = 0,
                            .timeout = 10s,
                            .period = 60s,
                            .failure_threshold = 30}));
  EXPECT_EQ(read_readiness_probe(R"({"tcpSocket":{"port":0,"host":""},"timeoutSeconds":0,)"
                                 R"("periodSeconds":0,"failureThreshold":0})"),
            ReadinessProbe());
}

TEST(ReadinessProbe, ProbesTheRootWithoutAPathAsKubernetesDoes) {
  EXPECT_EQ(read_readiness_probe(R"({"httpGet":{}})"), ReadinessProbe{.path = "/"});
}

TEST(ReadinessProbe, ReadsAPathAndAnEmptyText) {
  EXPECT_EQ(read_readiness_probe("/ready"), ReadinessProbe{.path = "/ready"});
  EXPECT_EQ(read_readiness_probe(""), ReadinessProbe());
}

TEST(ReadinessProbe, ReadsAQueryHeadersAndAPathWithoutItsFirstSlash) {
  const auto probe = read_readiness_probe(
      R"({"httpGet":{"path":"ready?deep=1","httpHeaders":[{"name":"X-Token","value":"a b"},)"
      R"({"name":"Host","value":"shop"}]}})");
  ASSERT_TRUE(probe.has_value());
  EXPECT_EQ(probe->path, "/ready?deep=1");
  const std::vector<std::pair<std::string, std::string>> headers = {{"X-Token", "a b"},
                                                                    {"Host", "shop"}};
  EXPECT_EQ(probe->headers, headers);
  EXPECT_EQ(probe->weakened, "");
}

TEST(ReadinessProbe, ReadsAListWhoseFirstProbeHasTheTimes) {
  const auto probe = read_readiness_probe(
      R"([{"httpGet":{"path":"/a","port":8080},"periodSeconds":3},{"tcpSocket":{"port":9090}}])");
  ASSERT_TRUE(probe.has_value());
  EXPECT_EQ(probe->path, "/a");
  EXPECT_EQ(probe->port, 8080);
  EXPECT_EQ(probe->period, 3s);
  EXPECT_EQ(probe->others, std::vector{ReadinessCheck{.port = 9090}});
}

TEST(ReadinessProbe, BecomesATcpConnectWhereTheDataPathDoesNotSpeakIt) {
  struct Case {
    const char* text;
    std::uint16_t port;
    const char* weakened;
  };
  for (const auto& [text, port, weakened] :
       {Case{R"({"httpGet":{"path":"/x","port":8443,"scheme":"HTTPS"}})", 8443, "scheme HTTPS"},
        Case{R"({"exec":{"command":["true"]}})", 0, "exec"},
        Case{R"({"tcpSocket":{"port":"http"}})", 0,
             "port http (a name; the app's port is probed)"}}) {
    const auto probe = read_readiness_probe(text);
    ASSERT_TRUE(probe.has_value()) << text;
    EXPECT_EQ(probe->path, "") << text;
    EXPECT_EQ(probe->port, port) << text;
    EXPECT_EQ(probe->weakened, weakened) << text;
  }
}

TEST(ReadinessProbe, AsksTheHealthServiceOfAGrpcServer) {
  struct Case {
    const char* text;
    const char* service;
    std::uint16_t port;
  };
  for (const auto& [text, service, port] :
       {Case{R"({"grpc":{"port":8080,"service":"shop.Cart"}})", "shop.Cart", 8080},
        Case{R"({"grpc":{"port":8080}})", "", 8080}, Case{"grpc", "", 0},
        Case{"grpc:shop.Cart", "shop.Cart", 0}}) {
    const auto probe = read_readiness_probe(text);
    ASSERT_TRUE(probe.has_value()) << text;
    EXPECT_EQ(probe->grpc_service, service) << text;
    EXPECT_EQ(probe->port, port) << text;
    EXPECT_EQ(probe->weakened, "") << text;
    EXPECT_EQ(to_string(*probe), text);
  }
  for (const char* text : {"grpc:", "grpcs", "grpc:a b", "grpc:a:b"}) {
    EXPECT_FALSE(read_readiness_probe(text)) << text;
  }
}

TEST(ReadinessProbe, RejectsWhatIsNoProbe) {
  for (const char* text : {"ready",
                           "{",
                           "{}",
                           "[]",
                           "[{}]",
                           R"([{"tcpSocket":{}},{"httpGet":{"path":8}}])",
                           R"({"tcpSocket":{}},{"tcpSocket":{}})",
                           R"({"grpc":8080})",
                           R"({"httpGet":{"httpHeaders":[{"value":"a"}]}})",
                           R"({"httpGet":{},"tcpSocket":{}})",
                           R"({"httpGet":"/x"})",
                           R"({"tcpSocket":8080})",
                           R"({"httpGet":{"path":8}})",
                           R"({"httpGet":{"path":""}})",
                           R"({"httpGet":{"path":"/a b"}})",
                           R"({"httpGet":{"scheme":1}})",
                           R"({"tcpSocket":{"port":65536}})",
                           R"({"tcpSocket":{"port":-1}})",
                           R"({"tcpSocket":{"host":"a:80"}})",
                           R"({"tcpSocket":{},"timeoutSeconds":-1})",
                           R"({"tcpSocket":{},"timeoutSeconds":0.5})",
                           R"({"tcpSocket":{},"periodSeconds":86401})",
                           R"({"tcpSocket":{},"failureThreshold":"3"})",
                           R"({"tcpSocket":{}} x)",
                           "null"}) {
    EXPECT_EQ(read_readiness_probe(text), std::nullopt) << text;
  }
}

TEST(ReadinessProbe, IsReadBackFromItsText) {
  for (const char* text :
       {"", "/", "/healthz", R"({"tcpSocket":{"port":1}})",
        R"({"httpGet":{"path":"/\"a","host":"::1","port":65535},"timeoutSeconds":86400})",
        R"({"tcpSocket":{},"periodSeconds":1,"failureThreshold":1})",
        R"({"httpGet":{"path":"/a?b","httpHeaders":[{"name":"A","value":"b"}]}})",
        R"({"grpc":{"port":1}})", R"([{"tcpSocket":{}},{"httpGet":{}}])"}) {
    const auto probe = read_readiness_probe(text);
    ASSERT_TRUE(probe.has_value()) << text;
    EXPECT_EQ(read_readiness_probe(to_string(*probe)), probe) << text;
  }
  EXPECT_EQ(to_string(ReadinessProbe()), "");
  EXPECT_EQ(to_string(ReadinessProbe{.path = "/healthz"}), "/healthz");
}

TEST(ReadinessProbe, RejectsDeepNesting) {
  EXPECT_EQ(read_readiness_probe("{\"a\":" + std::string(100'000, '[')), std::nullopt);
}

}  // namespace
}  // namespace bellows::config
