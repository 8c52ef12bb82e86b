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
  EXPECT_DOUBLE_EQ(deviation(96, 0.5, seconds(6)), std::sqrt(8));
  EXPECT_DOUBLE_EQ(deviation(96, 0.5, seconds(1)), std::sqrt(48));
}

TEST(EarlyScaleUp, RequestsThatOutlastTheWindowAreAsUnsteadyInItAsAtAnInstant) {
  EXPECT_DOUBLE_EQ(deviation(96, 32, seconds(6)), std::sqrt(96));
  EXPECT_DOUBLE_EQ(deviation(96, 0, seconds(6)), std::sqrt(96));  // unknown
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

TEST(EarlyScaleUp, RequestsThatOutlastAStartAreCountedWithoutDoubt) {
  Observation seen = load(10, 10, 2);
  seen.newest = 12;
  seen.start_time = seconds(2);
  EXPECT_DOUBLE_EQ(lasting_load(with_evidence(2), seen, 40), 11.8);  // of two more a tenth ends
  EXPECT_DOUBLE_EQ(lasting_load(with_evidence(2), seen, 0.05), 10);
  EXPECT_DOUBLE_EQ(lasting_load(with_evidence(2), seen, 0), 10) << "the service time is unknown";
  seen.start_time.reset();
  EXPECT_DOUBLE_EQ(lasting_load(with_evidence(2), seen, 40), 10);
}

}  // namespace
}  // namespace bellows::autoscaler::test
