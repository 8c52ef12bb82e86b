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
  const ProbeRules rules("Site24x7, StatusCake/2", "");
  EXPECT_TRUE(matches(rules, "/", "Site24x7"));
  EXPECT_TRUE(matches(rules, "/", "StatusCake/2.0"));
  EXPECT_FALSE(matches(rules, "/", "StatusCake/1.0"));
  EXPECT_FALSE(matches(rules, "/", "my Site24x7"));
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

TEST(ProbeRules, MatchHealthCheckersOfLoadBalancersWithoutASetting) {
  struct Case {
    const char* agent;
    bool is_probe;
  };
  for (const auto& [agent, is_probe] : std::vector<Case>{
           {"GoogleHC/1.0", true},
           {"ELB-HealthChecker/2.0", true},
           {"Amazon-Route53-Health-Check-Service (ref 1; report http://a.example)", true},
           {"Edge Health Probe", true},
           {"Azure Traffic Manager Endpoint Monitor", true},
           {"HealthCheck/1.0", true},
           {"Mozilla/5.0 (compatible; Cloudflare-Traffic-Manager/1.0; "
            "+https://www.cloudflare.com/traffic-manager/; pool-id: 1)",
            true},
           {"Mozilla/5.0 (compatible; Cloudflare-Healthchecks/1.0; +https://www.cloudflare.com/; "
            "healthcheck-id: 1)",
            true},
           {"Mozilla/5.0 (compatible;Cloudflare-Healthchecks/1.0;+https://www.cloudflare.com/; "
            "healthcheck-id: 1)",
            true},
           {"Varnish/fastly (healthcheck)", true},
           {"Envoy/HC", true},
           {"curl/8 ELB-HealthChecker", false},
           {"Mozilla/5.0 (compatible; GoogleHC/1.0)", false},
           {"Mozilla/5.0 (compatible; Cloudflare-AMP/1.0; +https://amp.cloudflare.com)", false},
           {"my-HealthCheck/1.0", false},
           {"Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)", false},
           {"Go-http-client/1.1", false}}) {
    EXPECT_EQ(matches(ProbeRules(), "/any", agent), is_probe) << agent;
  }
}

TEST(Monitors, AreKnownByWordsOfTheirUserAgent) {
  for (const char* agent : {"Mozilla/5.0+(compatible; UptimeRobot/2.0)", "my-health-checker/1",
                            "Pingdom.com_bot_version_1.4", "Datadog/Synthetics monitor"}) {
    EXPECT_TRUE(may_be_a_monitor(agent)) << agent;
  }
  for (const char* agent : {"", "curl/8", "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"}) {
    EXPECT_FALSE(may_be_a_monitor(agent)) << agent;
  }
}

TEST(KnownProbeAgents, AreThoseOfKubernetesAndKnative) {
  EXPECT_TRUE(is_known_probe_agent("kube-probe/1.30"));
  EXPECT_TRUE(is_known_probe_agent("Knative-Activator-Probe"));
  EXPECT_TRUE(is_known_probe_agent("Knative-Autoscaling-Probe"));
  EXPECT_FALSE(is_known_probe_agent("curl/8"));
}

}  // namespace
}  // namespace bellows::proxy
