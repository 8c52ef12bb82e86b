#include "autoscaler/core/rules/early_scale_up.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

ScalingSpec with_evidence(double deviations) {
  ScalingSpec spec;
  spec.target = 7;
  spec.total = 10;
  spec.rules.small_load_rules = config::SmallLoadRules::kSame;
  spec.rules.early_scale_up_z_score = deviations;
  return spec;
}

/// 96 in flight of half a second each: 192 requests a second.
Observation steady_96() {
  Observation seen = load(96, 96, 12);
  seen.newest = 96;
  seen.stable_rate = seen.panic_rate = 192;
  return seen;
}

TEST(EarlyScaleUp, AMeanOverALongerTimeIsSteadier) {
  // The service takes 0.5 s: a twelfth of the panic window, half of a second.
  EXPECT_DOUBLE_EQ(deviation(96, 0.5, seconds(6), 1), std::sqrt(8));
  EXPECT_DOUBLE_EQ(deviation(96, 0.5, seconds(1), 1), std::sqrt(48));
  EXPECT_DOUBLE_EQ(deviation(96, 0.5, seconds(6), 4), std::sqrt(32));
}

TEST(EarlyScaleUp, RequestsThatOutlastTheWindowAreAsUnsteadyInItAsAtAnInstant) {
  EXPECT_DOUBLE_EQ(deviation(96, 32, seconds(6), 1), std::sqrt(96));
  EXPECT_DOUBLE_EQ(deviation(96, 0, seconds(6), 1), std::sqrt(96));  // unknown
}

TEST(EarlyScaleUp, TheServiceTimeIsTheLoadInServiceByTheRate) {
  Observation seen = steady_96();
  EXPECT_FLOAT_EQ(next_service_seconds(0, seen), 0.5);
  EXPECT_FLOAT_EQ(next_service_seconds(1, seen), 0.975);
  seen.waiting = 40;
  seen.stable.total += 40;
  seen.stable.queued = 40;
  EXPECT_FLOAT_EQ(next_service_seconds(0, seen), 0.5) << "those that wait are not served";
  seen = {};
  EXPECT_FLOAT_EQ(next_service_seconds(1, seen), 1);
}

TEST(EarlyScaleUp, SixSecondsOfNoiseSetNoMinimum) {
  Observation seen = steady_96();
  seen.panic.total = 101;  // 1.7 deviations over
  EXPECT_EQ(significant_load(with_evidence(2), seen, 0.5), 96);
}

TEST(EarlyScaleUp, AJumpIsFollowedBeforeTheStableWindowKnowsOfIt) {
  Observation seen = steady_96();
  seen.newest = 400;
  EXPECT_NEAR(significant_load(with_evidence(2), seen, 0.5), 400 - 2 * std::sqrt(200), 1e-9);
}

TEST(EarlyScaleUp, TheStableWindowAloneDecidesWhereThatIsConfigured) {
  ScalingSpec spec = with_evidence(2);
  spec.rules.early_scale_up = config::EarlyScaleUp::kWindow;
  Observation seen = steady_96();
  seen.newest = seen.panic.total = 400;
  EXPECT_EQ(significant_load(spec, seen, 0.5), 96);
}

TEST(EarlyScaleUp, BurstsThatWereLearnedDoNotMakeTheNextOneLessCertain) {
  Observation seen = steady_96();
  seen.newest = 130;
  DeciderState calm = active_since(at(-100));
  calm.service_seconds = 0.5;
  DeciderState bursty = calm;
  bursty.burstiness = {.index = 12, .samples = 400};
  const PodCount early = decide(with_evidence(2), seen, calm, at(0)).early_demand;
  EXPECT_GT(early, 0);
  EXPECT_GE(decide(with_evidence(2), seen, bursty, at(0)).early_demand, early);
}

TEST(EarlyScaleUp, IsNamedByTheDecisionThatItSets) {
  Observation seen = steady_96();
  seen.newest = 130;  // 4.9 deviations of a second, and no panic
  DeciderState state = active_since(at(-100));
  state.service_seconds = 0.5;
  const Decision decision = decide(with_evidence(2), seen, state, at(0));
  EXPECT_EQ(decision.rule, Rule::kEarlyScaleUp);
  EXPECT_EQ(decision.mode, Mode::kStable);
  EXPECT_GT(decision.early_demand, decision.stable_demand);
}

TEST(EarlyScaleUp, OrdersNoReplicaOfWhichLessThanHalfIsUsed) {
  EXPECT_EQ(clearly_more_than(3, 2.4), 2.4) << "fewer than there are";
  EXPECT_EQ(clearly_more_than(3, 3.2), 3) << "those that are there are kept";
  EXPECT_EQ(clearly_more_than(3, 3.5), 3);
  EXPECT_EQ(clearly_more_than(3, 3.6), 3.6);
  EXPECT_EQ(clearly_more_than(3, 7.1), 7.1);
}

/// 20.9 in flight of half a second each, which three replicas of 7 carry, and `panic` of them in
/// the last six seconds. `before`: replicas that were wanted last.
Decision at_the_edge(double panic, PodCount before,
                     config::SmallLoadRules rules = config::SmallLoadRules::kKnative) {
  ScalingSpec spec = with_evidence(2);
  spec.rules.small_load_rules = rules;
  Observation seen = load(20.9, panic, before);
  seen.newest = panic;
  seen.stable_rate = seen.panic_rate = 41.8;
  seen.requested = before;
  DeciderState state = active_since(at(-100));
  state.replicas = before;
  state.service_seconds = 0.5;
  state.rule_choice.is_as_knative = false;  // the load is not small
  state.rule_choice.since = at(-10);
  return decide(spec, seen, state, at(0));
}

TEST(EarlyScaleUp, ALoadAtTheEdgeOfAReplicaStartsNoneByChance) {
  EXPECT_GT(significant_load(with_evidence(2), at_the_edge(24, 3).seen, 0.5), 21)
      << "a rise that is significant, and more than three replicas carry";
  EXPECT_EQ(at_the_edge(24, 3).replicas, 3);
}

TEST(EarlyScaleUp, WithTheRulesForAnyLoadEveryPartOfAReplicaCounts) {
  EXPECT_EQ(at_the_edge(24, 3, config::SmallLoadRules::kSame).replicas, 4)
      << "as of learned targets";
}

TEST(EarlyScaleUp, ARiseThatTakesMostOfAReplicaStartsIt) {
  const Decision decision = at_the_edge(29, 3);
  EXPECT_EQ(decision.replicas, 4);
  EXPECT_EQ(decision.rule, Rule::kEarlyScaleUp);
}

TEST(EarlyScaleUp, AReplicaThatARiseStartedIsKeptForAnyPartOfIt) {
  EXPECT_EQ(at_the_edge(24, 4).replicas, 4);
}

}  // namespace
}  // namespace bellows::autoscaler::test
