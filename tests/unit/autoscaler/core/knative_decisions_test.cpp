// The rows of knative.md 7.1 under profile knative, by their numbers there: `U` is the target, the
// total is U / 0.75, up- and down-rate 10, threshold 2, window 60 s, one ready pod, unless a row
// says otherwise.
#include <gtest/gtest.h>

#include <ostream>
#include <vector>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

ScalingSpec knative(double target, double burst = 0) {
  ScalingSpec spec = spec_of("knative");
  spec.target = target;
  spec.total = target / 0.75;
  spec.max_scale_up_rate = spec.max_scale_down_rate = 10;
  spec.target_burst_capacity = burst;
  return spec;
}

/// One evaluation: what the two windows hold, the ready pods, and what comes of it.
struct Step {
  double stable, panic;
  PodCount ready;
  PodCount desired;
  double burst_capacity;
};

struct Row {
  const char* name;
  double target;
  double burst;  ///< target-burst-capacity
  std::vector<Step> steps;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

class KnativeDecisions : public testing::TestWithParam<Row> {};

TEST_P(KnativeDecisions, AreMadeToTheNumber) {
  const Row& row = GetParam();
  Story story;
  std::int64_t second = 0;
  for (const Step& step : row.steps) {
    const Decision decision = story.decide(knative(row.target, row.burst),
                                           load(step.stable, step.panic, step.ready), at(second));
    EXPECT_EQ(decision.desired, step.desired);
    EXPECT_NEAR(decision.burst_capacity, step.burst_capacity, 1);
    second += 2;
  }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(
    Rows, KnativeDecisions,
    testing::Values(
        //                                    U  burst  stable  panic  ready  desired  room
        Row{"Row1NoLoad",                    10,  100, {{    0,     0,     1,     0,   -87}}},
        Row{"Row2LoadFarBelowTarget",       181,   -1, {{   21,    26,     1,     1,    -1}}},
        Row{"Row3FiveTargets",               10,    0, {{   50,    49,     1,     5,     0}}},
        Row{"Row4WithRoomForABurst",         10,  100, {{   50,    50,     1,     5,  -137}}},
        Row{"Row5OnFivePods",                10,  100, {{   50,    50,     5,     5,   -84}}},
        Row{"Row11PanicAsksForMore",         10,   84, {{   50,   100,     1,    10,  -171}}},
        Row{"Row12StableRises",              10,  101, {{   50,    10,     1,     5,   -98},
                                                        {  100,    10,     1,    10,   -98}}},
        Row{"Row13OfRequestsASecond",        10,  101, {{   50,    50,     1,     5,  -138},
                                                        {  100,    99,     1,    10,  -187}}},
        Row{"Row15LoadEnds",                 10,   75, {{    1,     0,     1,     1,   -62},
                                                        {    0,     0,     1,     0,   -62}}},
        Row{"Row17UpRateOnOneThenTen",       10,   61, {{ 1000,  1001,     1,    10, -1049},
                                                        { 1000,  1001,    10,   100,  -929}}},
        Row{"Row19NoReadyPodCountsAsOne",    10,   81, {{ 1000,   888,     0,    10,  -969}}}),
    [](const auto& row) { return row.param.name; });
// clang-format on

TEST(KnativeDecision, Row6PanicsAtTheStableWindowsDemandIfThatIsGreater) {
  const auto state = panicking_since(at(-5), 5);
  const Decision decision = decide(knative(1, 100), load(50, 30, 5), state, at(0));
  EXPECT_EQ(decision.desired, 50);
  EXPECT_NEAR(decision.burst_capacity, -124, 1);
}

TEST(KnativeDecision, Row7PanicsAtThePanicWindowsDemand) {
  const auto state = panicking_since(at(-5), 5);
  const Decision decision = decide(knative(1, 100), load(20, 30, 5), state, at(0));
  EXPECT_EQ(decision.desired, 30);
  EXPECT_EQ(decision.rule, Rule::kPanicTarget);
}

TEST(KnativeDecision, Row9ScalesDownNoFasterThanTheDownRate) {
  ScalingSpec spec = knative(10, 1982);
  spec.max_scale_down_rate = 1.1;
  const Decision decision = decide(spec, load(1, 1, 100), {}, at(0));
  EXPECT_EQ(decision.desired, 90);
  EXPECT_EQ(decision.rule, Rule::kDownRate);
  EXPECT_NEAR(decision.burst_capacity, -650, 1);
}

TEST(KnativeDecision, Row16ActivationScaleIsTheLeastThatIsNotZero) {
  ScalingSpec spec = knative(10, 75);
  spec.activation_scale = 2;
  EXPECT_EQ(decide(spec, load(0, 0, 1), {}, at(0)).desired, 0);
  const Decision decision = decide(spec, load(1, 0, 1), {}, at(0));
  EXPECT_EQ(decision.desired, 2);
  EXPECT_EQ(decision.rule, Rule::kActivationScale);
}

TEST(KnativeDecision, Row20And21DecideNothingWithoutPodCountOrMetrics) {
  DeciderState state;
  state.replicas = 7;
  state.burst_capacity = -42;
  for (const Problem problem : {Problem::kNoPodCount, Problem::kNoMetrics}) {
    Observation seen = load(1000, 888, 0);
    seen.problem = problem;
    const Decision decision = decide(knative(10, 81), seen, state, at(0));
    EXPECT_FALSE(decision.is_valid);
    EXPECT_EQ(decision.replicas, 7);
    EXPECT_EQ(decision.burst_capacity, -42);
  }
}

TEST(KnativeDecision, Row23RisesHoldsForAMinuteAndLetsGo) {
  const ScalingSpec spec = knative(10, 93);
  Story story;
  const auto expect = [&](const Observation& seen, TimePoint now, PodCount desired, double room) {
    const Decision decision = story.decide(spec, seen, now);
    EXPECT_EQ(decision.desired, desired);
    EXPECT_NEAR(decision.burst_capacity, room, 1);
  };
  expect(load(100, 100, 1), at(0), 10, -180);
  expect(load(100, 1000, 10), at(0), 100, -960);
  expect(load(1, 1, 10), at(30), 100, 39);
  expect(load(1, 1, 10), at(61), 1, 39);
}

TEST(KnativeDecision, Row25PutsTheEndOfPanicOffWhileStillOver) {
  const ScalingSpec spec = knative(1, 98);
  Story story;
  Decision decision = story.decide(spec, load(11, 25, 10), at(0));
  EXPECT_EQ(decision.desired, 25);
  EXPECT_NEAR(decision.burst_capacity, -110, 1);
  EXPECT_EQ(decision.after.panic->last_over, at(0));
  decision = story.decide(spec, load(30, 80, 40), at(30));
  EXPECT_EQ(decision.desired, 80);
  EXPECT_NEAR(decision.burst_capacity, -125, 1);
  EXPECT_EQ(decision.after.panic->last_over, at(30));
}

TEST(KnativeDecision, Row26TakesChangedSettingsAtOnce) {
  Story story;
  EXPECT_EQ(story.decide(knative(10, 77), load(100, 101, 1), at(0)).desired, 10);
  const Decision decision = story.decide(knative(1, 71), load(100, 101, 10), at(2));
  EXPECT_EQ(decision.desired, 100);
  EXPECT_NEAR(decision.burst_capacity, -159, 1);
}

TEST(KnativeDecision, Row27StartsInPanicWithMoreThanOneReadyReplica) {
  const ScalingSpec spec = knative(10);
  for (const PodCount ready : {0, 1, 2}) {
    const DeciderState state = begin(spec, load(0, 0, ready), at(0));
    EXPECT_EQ(state.panic.has_value(), ready > 1);
    EXPECT_EQ(state.panic_max, ready);
  }
  Observation uncounted;
  uncounted.problem = Problem::kNoPodCount;
  EXPECT_FALSE(begin(spec, uncounted, at(0)).panic);
  EXPECT_EQ(begin(spec, uncounted, at(0)).panic_max, 0);
}

TEST(KnativeDecision, Row28HoldsTheGreatestOfTheDelay) {
  ScalingSpec spec = knative(10);
  spec.panic_threshold = 100;
  spec.scale_down_delay = std::chrono::minutes(5);
  Story story;
  EXPECT_EQ(story.decide(spec, load(40, 40, 1), at(2)).desired, 4);
  const Decision held = story.decide(spec, load(0, 0, 1), at(300));
  EXPECT_EQ(held.desired, 4);
  EXPECT_EQ(held.rule, Rule::kDelay);
  EXPECT_EQ(story.decide(spec, load(0, 0, 1), at(302)).desired, 0);
}

TEST(KnativeDecision, Row31ScalesDownAtOnceWithoutADelay) {
  ScalingSpec spec = knative(10);
  spec.panic_threshold = 100;
  Story story;
  EXPECT_EQ(story.decide(spec, load(40, 40, 1), at(2)).desired, 4);
  const TimePoint half_a_second_later = at(2) + std::chrono::milliseconds(500);
  EXPECT_EQ(story.decide(spec, load(20, 20, 1), half_a_second_later).desired, 2);
}

TEST(KnativeDecision, Row32PanicsOverRounding) {
  ScalingSpec spec = spec_of("knative");
  EXPECT_EQ(spec.target, 70);
  const Decision decision = decide(spec, load(70, 71, 1), {}, at(0));
  EXPECT_EQ(decision.panic_ratio, 2);
  EXPECT_EQ(decision.mode, Mode::kPanic);
}

TEST(KnativeStart, Row33PlansTheRoomForABurstBeforeAnythingIsSeen) {
  ScalingSpec spec = spec_of("knative");
  spec.total = 25;
  spec.initial_scale = 2;
  for (const auto& [burst, room] : {std::pair(42.0, 8.0), {-1.0, -1.0}, {0.0, 0.0}}) {
    spec.target_burst_capacity = burst;
    EXPECT_EQ(begin(spec, {}, at(0)).burst_capacity, room);
  }
}

// Knative triggers its reconciler for that; here it is when the activator is needed from.
TEST(KnativeStart, Row34TheActivatorIsNeededFromTheChangeOfTheSignOn) {
  const ScalingSpec spec = knative(10, 10);
  Story story;
  EXPECT_FALSE(story.decide(spec, load(1, 1, 1), at(0)).after.proxying_since);
  EXPECT_FALSE(story.decide(spec, load(1, 1, 1), at(2)).after.proxying_since);
  EXPECT_EQ(story.decide(spec, load(1, 9, 1), at(4)).after.proxying_since, at(4));
  EXPECT_EQ(story.decide(spec, load(1, 9, 1), at(6)).after.proxying_since, at(4));
}

}  // namespace
}  // namespace bellows::autoscaler::test
