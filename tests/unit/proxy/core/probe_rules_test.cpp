#include "proxy/core/probe_rules.hpp"

#include <gtest/gtest.h>

namespace bellows::proxy {
namespace {

bool matches(const ProbeRules& rules, const std::string& target, const std::string& agent) {
  const std::string text =
      "GET " + target + " HTTP/1.1\r\nHost: a\r\nUser-Agent: " + agent + "\r\n\r\n";
  http::HeadParser parser;
  http::RequestHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete());
  return rules.matches(head);
}

TEST(ProbeRules, MatchAgentsByPrefix) {
  const ProbeRules rules("GoogleHC/, ELB-HealthChecker/2", "");
  EXPECT_TRUE(matches(rules, "/", "GoogleHC/1.0"));
  EXPECT_TRUE(matches(rules, "/", "ELB-HealthChecker/2.0"));
  EXPECT_FALSE(matches(rules, "/", "ELB-HealthChecker/1.0"));
  EXPECT_FALSE(matches(rules, "/", "my GoogleHC/1.0"));
}

TEST(ProbeRules, MatchWholePathsWithoutTheirQuery) {
  const ProbeRules rules("", "/healthz, /live");
  EXPECT_TRUE(matches(rules, "/healthz", "x"));
  EXPECT_TRUE(matches(rules, "/live?full=1", "x"));
  EXPECT_FALSE(matches(rules, "/healthz/", "x"));
  EXPECT_FALSE(matches(rules, "/live/a", "x"));
}

TEST(ProbeRules, WithoutEntriesMatchNothing) {
  EXPECT_FALSE(matches(ProbeRules(), "/", "kube-probe/1.30"));
}

TEST(KnownProbeAgents, AreThoseOfKubernetesAndKnative) {
  EXPECT_TRUE(is_known_probe_agent("kube-probe/1.30"));
  EXPECT_TRUE(is_known_probe_agent("Knative-Activator-Probe"));
  EXPECT_TRUE(is_known_probe_agent("Knative-Autoscaling-Probe"));
  EXPECT_FALSE(is_known_probe_agent("curl/8"));
}

}  // namespace
}  // namespace bellows::proxy
