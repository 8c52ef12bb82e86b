// The rows of knative.md 7.1 that hold under our rules, by their numbers there, and the rows that
// differ, with what we answer instead.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/unit/autoscaler/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

struct Row {
  const char* name;
  double target;
  double burst;  ///< target-burst-capacity
  double stable, panic;
  PodCount pods;
  PodCount want;
  double burst_capacity;
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.name;
}

class DecisionTable : public testing::TestWithParam<Row> {};

TEST_P(DecisionTable, GivesTheWantedReplicas) {
  const Row& row = GetParam();
  ScalingSpec spec = spec_with_target(row.target);
  spec.target_burst_capacity = row.burst;
  const Decision decision = decide(spec, load(row.stable, row.panic, row.pods), {}, at(0));
  EXPECT_EQ(decision.want, row.want);
  EXPECT_NEAR(decision.burst_capacity, row.burst_capacity, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Knative, DecisionTable,
    testing::Values(
        //   name                            target burst stable panic pods want capacity
        Row{"Row2LoadFarBelowTarget", 181, -1, 21, 26, 1, 1, -1},
        Row{"Row3FiveTargetsNoBurst", 10, 0, 50, 49, 1, 5, 0},
        Row{"Row4FiveTargets", 10, 100, 50, 50, 1, 5, -137},
        Row{"Row5FiveTargetsOnFivePods", 10, 100, 50, 50, 5, 5, -84},
        Row{"Row11PanicAsksForMore", 10, 84, 50, 100, 1, 10, -171},
        Row{"Row12StableRisesFirst", 10, 101, 50, 10, 1, 5, -98},
        Row{"Row12StableRisesThen", 10, 101, 100, 10, 1, 10, -98},
        Row{"Row17UpRateHoldsOnePodToTen", 10, 61, 1000, 1001, 1, 10, -1049},
        Row{"Row17TenPodsMayBeAHundred", 10, 61, 1000, 1001, 10, 100, -929},
        Row{"Row19NoReadyPodCountsAsOne", 10, 81, 1000, 888, 0, 10, -969},
        Row{"Row26BeforeTheTargetChanged", 10, 77, 100, 101, 1, 10, -165},
        Row{"Row26TargetIsOneNow", 1, 71, 100, 101, 10, 100, -159}),
    [](const auto& row) { return row.param.name; });

TEST(DecisionTablePanic, Row6HoldsToTheUpRateWhilePanicking) {
  const auto state = panicking_since(at(-5), 5);
  EXPECT_EQ(decide(spec_with_target(1), load(50, 30, 5), state, at(0)).want, 50);
}

TEST(DecisionTablePanic, Row7TakesThePanicWindowsAnswer) {
  const auto state = panicking_since(at(-5), 5);
  const Decision decision = decide(spec_with_target(1), load(20, 30, 5), state, at(0));
  EXPECT_EQ(decision.want, 30);
  EXPECT_EQ(decision.rule, Rule::kPanicTarget);
}

TEST(DecisionTablePanic, Row23RisesHoldsForAMinuteAndLetsGo) {
  ScalingSpec spec = spec_with_target(10);
  spec.target_burst_capacity = 93;
  Decision decision = decide(spec, load(100, 100, 1), {}, at(0));
  EXPECT_EQ(decision.want, 10);
  EXPECT_NEAR(decision.burst_capacity, -180, 1);
  decision = decide(spec, load(100, 1000, 10), decision.after, at(0));
  EXPECT_EQ(decision.want, 100);
  EXPECT_NEAR(decision.burst_capacity, -960, 1);
  decision = decide(spec, load(1, 1, 10), decision.after, at(30));
  EXPECT_EQ(decision.want, 100);
  EXPECT_EQ(decision.rule, Rule::kPanicHold);
  decision = decide(spec, load(1, 1, 10), decision.after, at(61));
  EXPECT_EQ(decision.want, 1);
  EXPECT_EQ(decision.mode, Mode::kStable);
  EXPECT_NEAR(decision.burst_capacity, 39, 1);
}

TEST(DecisionTablePanic, Row25PutsItsEndOffWhileStillOver) {
  const ScalingSpec spec = spec_with_target(1);
  Decision decision = decide(spec, load(11, 25, 10), {}, at(0));
  EXPECT_EQ(decision.want, 25);
  EXPECT_EQ(decision.after.panic->last_over, at(0));
  decision = decide(spec, load(30, 80, 40), decision.after, at(30));
  EXPECT_EQ(decision.want, 80);
  EXPECT_EQ(decision.after.panic->last_over, at(30));
  EXPECT_EQ(decision.after.panic->since, at(0));
}

TEST(DecisionTablePanic, Row27BeginsInPanicBesideMoreThanOneReadyReplica) {
  EXPECT_FALSE(begin(load(0, 0, 0), at(0)).panic);
  EXPECT_FALSE(begin(load(0, 0, 1), at(0)).panic);
  ASSERT_TRUE(begin(load(0, 0, 2), at(0)).panic);
  EXPECT_EQ(begin(load(0, 0, 2), at(0)).panic->most, 2);
}

TEST(DecisionTableDifferences, Row1WithoutAnyLoadKeepsTheLastReplicaForTheGraceTime) {
  const Decision decision = decide(spec_with_target(10), load(0, 0, 1), {}, at(0));
  EXPECT_EQ(decision.want, 1);
  EXPECT_EQ(decision.rule, Rule::kLastReplica);
  EXPECT_NEAR(decision.burst_capacity, -87, 1);
}

TEST(DecisionTableDifferences, Row15LoadThatEndsGoesToZeroAfterTheGraceTime) {
  const ScalingSpec spec = spec_with_target(10);
  Decision decision = decide(spec, load(1, 0, 1), {}, at(0));
  EXPECT_EQ(decision.want, 1);
  decision = decide(spec, load(0, 0, 1), decision.after, at(2));
  EXPECT_EQ(decision.want, 1);
  decision = decide(spec, load(0, 0, 1), decision.after, at(32));
  EXPECT_EQ(decision.want, 0);
  EXPECT_EQ(decision.rule, Rule::kToZero);
}

TEST(DecisionTableDifferences, Row32RoundingAloneIsNoPanic) {
  // Knative: ceil(71 / 70) = 2 replicas for 1 ready one is 2.0. We: 71 / 70 = 1.01.
  const Decision decision = decide(spec_with_target(70), load(70, 71, 1), {}, at(0));
  EXPECT_EQ(decision.mode, Mode::kStable);
  EXPECT_EQ(decision.want, 1);
}

}  // namespace
}  // namespace bellows::autoscaler::test
