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
  const CertainLoad certain = significant_load(with_evidence(2), seen, 0.5);
  EXPECT_EQ(certain.load, 96);
  EXPECT_EQ(certain.shown_by, EarlyLoad::kNone);
}

TEST(EarlyScaleUp, AJumpIsFollowedBeforeTheStableWindowKnowsOfIt) {
  Observation seen = steady_96();
  seen.newest = 400;
  EXPECT_NEAR(significant_load(with_evidence(2), seen, 0.5).load, 400 - 2 * std::sqrt(200), 1e-9);
}

TEST(EarlyScaleUp, TheStableWindowAloneDecidesWhereThatIsConfigured) {
  ScalingSpec spec = with_evidence(2);
  spec.rules.early_scale_up = config::EarlyScaleUp::kWindow;
  Observation seen = steady_96();
  seen.newest = seen.panic.total = 400;
  EXPECT_EQ(significant_load(spec, seen, 0.5).load, 96);
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

/// 96 in flight with a panic window and a newest second, of requests of half a second or of 40 s.
struct EarlyRow {
  double panic;
  double newest;
  float service_seconds;
  EarlyLoad shown_by;
};

TEST(EarlyScaleUp, NamesWhatShowsTheRise) {
  const EarlyRow rows[] = {
      {101, 100, 0.5F, EarlyLoad::kNone},
      {112, 100, 0.5F, EarlyLoad::kPanicWindow},
      {101, 130, 0.5F, EarlyLoad::kNewestSecond},
      {112, 130, 0.5F, EarlyLoad::kNewestSecond},  // the more certain of both
      {120, 122, 0.5F, EarlyLoad::kPanicWindow},
      {112, 150, 40, EarlyLoad::kLasting},  // two deviations are 19.6
  };
  for (const EarlyRow& row : rows) {
    ScalingSpec spec = with_evidence(2);
    spec.rules.headroom = config::Headroom::kSquareRoot;
    spec.free_deviations = 0;
    Observation seen = steady_96();
    seen.panic.total = row.panic;
    seen.newest = row.newest;
    seen.start_time = seconds(2);
    DeciderState state = active_since(at(-100));
    state.service_seconds = row.service_seconds;
    const Decision decision = decide(spec, seen, state, at(0));
    EXPECT_EQ(to_string(decision.early_load), to_string(row.shown_by))
        << row.panic << ", " << row.newest << ", " << row.service_seconds;
    EXPECT_EQ(decision.early_demand > 0, row.shown_by != EarlyLoad::kNone);
  }
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
