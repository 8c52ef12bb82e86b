#include "config/readiness_probe.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

TEST(ReadinessProbe, TakesWhatKnativeWrites) {
  EXPECT_EQ(read_readiness_probe(R"({"tcpSocket":{"port":8080,"host":"127.0.0.1"},)"
                                 R"("successThreshold":1})"),
            "");
  EXPECT_EQ(read_readiness_probe(R"({"httpGet":{"path":"/healthz","port":8080,"host":"127.0.0.1",)"
                                 R"("scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10})"),
            "/healthz");
  EXPECT_EQ(read_readiness_probe(R"({"tcpSocket":{}})"), "");
}

TEST(ReadinessProbe, AsksForTheRootIfNoPathIsGivenAsKubernetesDoes) {
  EXPECT_EQ(read_readiness_probe(R"({"httpGet":{"port":8080}})"), "/");
}

TEST(ReadinessProbe, TakesABarePathAndNothing) {
  EXPECT_EQ(read_readiness_probe("/ready"), "/ready");
  EXPECT_EQ(read_readiness_probe(""), "");
}

TEST(ReadinessProbe, RefusesWhatItCannotDo) {
  for (const char* text :
       {"ready", "{", "{}", "[]", R"({"exec":{"command":["true"]}})", R"({"grpc":{"port":1}})",
        R"({"httpGet":{},"tcpSocket":{}})", R"({"httpGet":"/x"})", R"({"tcpSocket":8080})",
        R"({"httpGet":{"path":8}})", R"({"httpGet":{"path":""}})", R"({"httpGet":{"path":"x"}})",
        R"({"httpGet":{"path":"/a b"}})", R"({"tcpSocket":{}} x)", "null"}) {
    EXPECT_EQ(read_readiness_probe(text), std::nullopt) << text;
  }
}

TEST(ReadinessProbe, SurvivesDeepNesting) {
  EXPECT_EQ(read_readiness_probe("{\"a\":" + std::string(100'000, '[')), std::nullopt);
}

}  // namespace
}  // namespace bellows::config
