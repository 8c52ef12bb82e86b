#include "config/readiness_probe.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(
      read_readiness_probe(R"({"httpGet":{"path":"/","httpHeaders":[{"name":"A","value":"b"}]},)"
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

TEST(ReadinessProbe, RejectsUnsupportedProbes) {
  for (const char* text : {"ready",
                           "{",
                           "{}",
                           "[]",
                           R"({"exec":{"command":["true"]}})",
                           R"({"grpc":{"port":1}})",
                           R"({"httpGet":{},"tcpSocket":{}})",
                           R"({"httpGet":"/x"})",
                           R"({"tcpSocket":8080})",
                           R"({"httpGet":{"path":8}})",
                           R"({"httpGet":{"path":""}})",
                           R"({"httpGet":{"path":"x"}})",
                           R"({"httpGet":{"path":"/a b"}})",
                           R"({"httpGet":{"scheme":"HTTPS"}})",
                           R"({"httpGet":{"port":"http"}})",
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
        R"({"tcpSocket":{},"periodSeconds":1,"failureThreshold":1})"}) {
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
