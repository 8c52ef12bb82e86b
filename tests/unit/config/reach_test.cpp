#include "config/reach.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/revision_schema.hpp"
#include "config/table.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(TheTable, HasTheSettingsOfServicesThatQueueProxiesHaveToo) {
  std::vector<std::string> live;
  std::vector<std::string> pinned;
  for (const ProxySetting& setting : proxy_settings()) {
    (setting.reach.pinned.empty() ? live : pinned).emplace_back(setting.name);
  }
  EXPECT_THAT(live, ElementsAre("container-concurrency", "window", "revision-timeout",
                                "revision-response-start-timeout", "revision-idle-timeout",
                                "max-tunnel-life", "queue-bytes", "queue-age", "queue-time-header",
                                "probe-user-agents", "probe-paths"));
  EXPECT_THAT(pinned, ElementsAre("app-protocol", "drain-timeout"));
}

TEST(TheTable, NamesThemAsTheServiceDoes) {
  ASSERT_NE(proxy_setting("window"), nullptr);
  EXPECT_EQ(proxy_setting("queue-depth"), nullptr) << "one of activators, another of queue-proxies";
  EXPECT_EQ(proxy_setting("user-port"), nullptr);
}

/// Else a pod whose manifest sets nothing would differ from its Revision.
TEST(TheTable, HasTheSameDefaultsForBoth) {
  for (const ProxySetting& setting : proxy_settings()) {
    EXPECT_EQ(revision_schema().text({}, setting.name), queue_proxy_schema().text({}, setting.name))
        << setting.name;
  }
}

TEST(ASettingOfAService, IsCopiedToItsQueueProxy) {
  RevisionSettings service;
  service.container_concurrency = 7;
  service.window = 90s;
  service.queue_time_header = QueueTimeHeader::kAlways;
  QueueProxySettings proxy;
  proxy.drain_timeout = 25s;
  for (const ProxySetting& setting : proxy_settings()) copy(setting, service, proxy);
  EXPECT_EQ(proxy.container_concurrency, 7);
  EXPECT_EQ(proxy.window, 90s);
  EXPECT_EQ(proxy.queue_time_header, QueueTimeHeader::kAlways);
  EXPECT_EQ(proxy.drain_timeout, 25s) << "the service has it unset";
}

/// Returns who enforces a setting of a Revision, by what its row says.
std::string enforcer(const Group& group, const Setting& row) {
  const bool is_off = !row.reach.off_kubernetes.empty() || !group.off_kubernetes.empty();
  if (!row.reach.refused_on_kubernetes.empty()) return "nobody, it is refused";
  if (is_off) return "nobody";
  if (row.reach.needs_usage) return "the autoscaler, where a metrics API is";
  if (row.reach.of_activators == OfActivators::kAlways) {
    return "activators, while they are in the path";
  }
  if (row.reach.of_activators == OfActivators::kWithoutReplica) {
    return "activators, while no replica is ready";
  }
  return proxy_setting(row.name) == nullptr ? "autoscaler and activators" : "the pods";
}

/// A new setting is added here once the code that enforces it there is known.
TEST(EverySettingOfARevision, HasWhoEnforcesItOnKubernetes) {
  std::map<std::string, std::string> found;
  std::set<std::string_view> seen;
  each_row([&](const Group& group, const Setting& row) {
    const bool is_of_services = programs_of(group, row).contain(Program::kService);
    if (!is_of_services || !seen.insert(row.name).second) return;
    std::string& names = found[enforcer(group, row)];
    names += (names.empty() ? "" : " ") + std::string(row.name);
  });
  const std::map<std::string, std::string> want = {
      {"autoscaler and activators",
       "profile metric metric-aggregation-algorithm target target-utilization-percentage "
       "panic-window-percentage panic-threshold-percentage max-scale-up-rate "
       "max-scale-down-rate scale-down-delay target-burst-capacity min-scale max-scale "
       "initial-scale activation-scale enable-scale-to-zero scale-to-zero-grace-period "
       "scale-to-zero-pod-retention-period policy occupied-by headroom waiting-percentage "
       "early-scale-up early-scale-up-z-score first-replicas keep-alive cold-start-worth "
       "idle-clock progress-deadline "
       "slow-brain latency-goal latency-window target-min target-max"},
      {"the pods",
       "container-concurrency window revision-timeout revision-response-start-timeout "
       "revision-idle-timeout max-tunnel-life queue-bytes queue-age queue-time-header "
       "app-protocol probe-user-agents probe-paths drain-timeout"},
      {"activators, while they are in the path",
       "load-balancing-policy queue-depth session-affinity static-answers"},
      {"activators, while no replica is ready", "waiting-page fallback-service fallback-after"},
      {"the autoscaler, where a metrics API is", "cpu-utilization memory-utilization autoscaling"},
      {"nobody, it is refused", "port liveness-path"},
      {"nobody",
       "split-by client-header readiness-path "
       "liveness-period liveness-timeout liveness-threshold resources-mode cpu memory cpu-limit "
       "memory-limit resources-policy controlled-resources controlled-values min-allowed-cpu "
       "min-allowed-memory max-allowed-cpu max-allowed-memory"}};
  EXPECT_EQ(found, want);
}

struct IdleCase {
  std::string name;
  Layer layer;
  std::string because;  ///< of the first of them; empty: it has an effect
  bool is_beside_hpa = false;
};

class SettingsWithoutEffect : public testing::TestWithParam<IdleCase> {};

TEST_P(SettingsWithoutEffect, AreNamedWithTheReason) {
  const auto settings = revision_schema().apply({GetParam().layer});
  ASSERT_TRUE(settings) << problems_text(settings.error());
  const auto found = without_effect_on_kubernetes(
      *settings, {.is_beside_hpa = GetParam().is_beside_hpa, .without_usage = "not measured"});
  ASSERT_EQ(found.size(), GetParam().because.empty() ? 0U : 1U);
  if (found.empty()) return;
  EXPECT_EQ(found.front().setting, GetParam().layer.front().key);
  EXPECT_THAT(found.front().because, HasSubstr(GetParam().because));
}

INSTANTIATE_TEST_SUITE_P(
    Table, SettingsWithoutEffect,
    testing::Values(
        IdleCase{"CpuOfPods", {flag("cpu-utilization", "70")}, "not measured"},
        IdleCase{"MemoryOfPods", {flag("memory-utilization", "80")}, "not measured"},
        IdleCase{"Readiness", {flag("readiness-path", "/up")}, "readinessProbe"},
        IdleCase{"Liveness", {flag("liveness-period", "20s")}, "livenessProbe"},
        IdleCase{"Recommendations", {flag("resources-mode", "auto")}, "manifest"},
        IdleCase{"Size", {flag("memory-limit", "64Mi")}, "manifest"},
        IdleCase{"Clients", {flag("split-by", "client")}, "Service of its own"},
        IdleCase{
            "TriggersByCpu",
            {flag("autoscaling", R"({"up":{"metricsTrigger":[{"type":"room"},{"type":"cpu"}]}})")},
            "not measured"},
        IdleCase{"TriggersInAChain",
                 {flag("autoscaling", R"({"chain":{"entries":[{"policy":{"type":"triggers",)"
                                      R"("down":{"metricsTrigger":[{"type":"mem"}]}}}]}})")},
                 "not measured"},
        IdleCase{"TriggersByRooms",
                 {flag("autoscaling", R"({"up":{"metricsTrigger":[{"type":"room"}]}})")},
                 ""},
        IdleCase{"MostReplicas", {flag("max-scale", "5")}, ""},
        IdleCase{"MostReplicasOfTheHpa", {flag("max-scale", "5")}, "HorizontalPod", true},
        IdleCase{"LeastReplicasOfTheHpa", {flag("min-scale", "2")}, "HorizontalPod", true},
        IdleCase{"NeverZeroBesideTheHpa", {flag("min-scale", "1")}, "", true},
        IdleCase{"CpuBesideTheHpa", {flag("cpu-utilization", "70")}, "not measured", true}),
    [](const auto& row) { return row.param.name; });

TEST(SettingsOfActivatorsAlone, AreThoseThatAreSet) {
  RevisionSettings settings;
  EXPECT_EQ(of_activators_alone(settings), ActivatorsAlone());
  settings.callers.session_affinity = SessionAffinity::kCookie;
  settings.callers.waiting_page = "built-in";
  const ActivatorsAlone alone = of_activators_alone(settings);
  EXPECT_THAT(alone.always, ElementsAre("session-affinity"));
  EXPECT_THAT(alone.without_replica, ElementsAre("waiting-page"));
}

TEST(SettingsOfOneMachine, AreRefusedOnKubernetes) {
  RevisionSettings settings;
  EXPECT_FALSE(refused_on_kubernetes(settings));
  settings.liveness_path = "/live";
  EXPECT_EQ(refused_on_kubernetes(settings)->setting, "liveness-path");
  settings.port = 3000;
  EXPECT_THAT(*refused_on_kubernetes(settings),
              (WithoutEffect{.setting = "port", .because = "pods share no port"}));
}

TEST(SettingsThatHaveAnEffect, AreNotNamed) {
  RevisionSettings settings;
  EXPECT_THAT(without_effect_on_kubernetes(settings, {}), ElementsAre());
  settings.container_concurrency = 1;
  settings.cpu_utilization = 70;
  settings.min_scale = 2;
  settings.queue_depth = 5;
  settings.drain_timeout = 10s;
  EXPECT_THAT(without_effect_on_kubernetes(settings, {}), ElementsAre());
}

TEST(AReason, IsASentenceWithoutAFullStop) {
  const auto check = [](std::string_view because) {
    EXPECT_FALSE(because.ends_with('.')) << because;
  };
  each_row([&](const Group& group, const Setting& row) {
    check(group.off_kubernetes);
    for (const auto because : {row.reach.pinned, row.reach.capped, row.reach.off_kubernetes,
                               row.reach.refused_on_kubernetes}) {
      check(because);
    }
  });
}

}  // namespace
}  // namespace bellows::config
