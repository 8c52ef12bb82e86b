// How the record of missed seconds moves the target, as diaries.
#include "autoscaler/slow/goal_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bellows::autoscaler::slow {
namespace {

/// `hours` of evaluations every 5 minutes in which `share` of the seconds miss the goal.
void pass(GoalRecord& record, double hours, double share, double target = 10) {
  for (int i = 0; i < static_cast<int>(std::lround(hours * 12)); ++i) {
    record_goal(record, target, 300, 300 * share);
  }
}

TEST(GoalRecord, WhereTheWantedShareIsMissedTheTargetStays) {
  GoalRecord record;
  pass(record, 48, 0.003);
  EXPECT_NEAR(record.factor, 1, 1e-9);
}

TEST(GoalRecord, AMissedGoalLowersTheTargetUntilItIsKept) {
  GoalRecord record;
  pass(record, 0.5, 0.01);
  const double after_half_an_hour = record.factor;
  EXPECT_LT(after_half_an_hour, 0.6);
  pass(record, 4, 0.003);
  EXPECT_NEAR(record.factor, after_half_an_hour, 1e-9);
}

TEST(GoalRecord, AGoalThatIsNeverMissedRaisesTheTargetFastAtFirstAndSlowlyLater) {
  GoalRecord record;
  pass(record, 0.5, 0);
  EXPECT_NEAR(record.factor, std::exp(0.3), 0.001);
  pass(record, 4.5, 0);
  const double after_five_hours = record.factor;
  pass(record, 1, 0);
  EXPECT_NEAR(record.factor / after_five_hours, 1.07, 0.01);
  pass(record, 24 * 30, 0);
  EXPECT_DOUBLE_EQ(record.factor, 4);
}

TEST(GoalRecord, WhatABurstMissesInAShortIntervalCountsInThoseAfterItToo) {
  GoalRecord record;
  for (int i = 0; i < 28; ++i) record_goal(record, 10, 30, 0);
  record_goal(record, 10, 30, 4);
  const double at_once = record.factor;
  for (int i = 0; i < 3; ++i) record_goal(record, 10, 30, 0);
  EXPECT_LT(record.factor, 0.9 * at_once);
  for (int i = 0; i < 3; ++i) record_goal(record, 10, 30, 0);
  EXPECT_DOUBLE_EQ(record.owed, 0);
  const double after = record.factor;
  record_goal(record, 10, 30, 0);
  EXPECT_GT(record.factor, after);
}

TEST(GoalRecord, WhatTheFirstReplicasMissCountsOnce) {
  GoalRecord record;
  record_goal(record, 10, 30, 20);
  EXPECT_DOUBLE_EQ(record.owed, 0);
}

TEST(GoalRecord, WhereALowerTargetDoesNotHelpTheHigherOneIsTheFloorForADay) {
  GoalRecord record;
  pass(record, 0.5, 0.08, 10);
  EXPECT_LT(record.factor, 1);
  pass(record, 0.25, 0.08, 6);
  EXPECT_DOUBLE_EQ(record.floor, 10);
  EXPECT_DOUBLE_EQ(record.factor, 1);
  EXPECT_TRUE(lower_is_no_use(record));
  pass(record, 23, 0.08, 10);
  EXPECT_DOUBLE_EQ(record.floor, 10);
  pass(record, 2, 0.08, 10);
  EXPECT_DOUBLE_EQ(record.floor, 0);
  EXPECT_LT(record.factor, 1);  // tried again
}

TEST(GoalRecord, ALowerTargetThatHelpsIsKept) {
  GoalRecord record;
  pass(record, 0.5, 0.08, 10);
  pass(record, 1, 0.05, 6);
  EXPECT_DOUBLE_EQ(record.floor, 0);
}

TEST(GoalRecord, FewMissedSecondsAreNoReasonToGiveUp) {
  GoalRecord record;
  pass(record, 0.5, 0.012, 10);
  pass(record, 0.5, 0.012, 6);
  EXPECT_DOUBLE_EQ(record.floor, 0);
}

TEST(GoalRecord, TheSecondsOnTheWayDownAreThoseOfTheirOwnTargets) {
  GoalRecord record;
  pass(record, 0.5, 0.08, 10);
  pass(record, 0.25, 0.08, 7);  // not much lower
  EXPECT_DOUBLE_EQ(record.floor, 0);
  pass(record, 0.5, 0.03, 5);
  EXPECT_DOUBLE_EQ(record.floor, 0);
}

TEST(GoalRecord, AFloorThatMissesTheGoalMuchMoreOftenIsForgotten) {
  GoalRecord record;
  pass(record, 0.5, 0.08, 10);
  pass(record, 0.25, 0.08, 6);
  ASSERT_DOUBLE_EQ(record.floor, 10);
  pass(record, 1, 0.4, 10);
  EXPECT_DOUBLE_EQ(record.floor, 0);
}

TEST(GoalRecord, ManyMissedSecondsSayTheSameWithinMinutes) {
  GoalRecord record;
  record_goal(record, 10, 120, 70);
  EXPECT_EQ(lowest_known(record), 10);
  record_goal(record, 6, 90, 50);
  EXPECT_DOUBLE_EQ(record.floor, 0);  // not yet
  record_goal(record, 6, 30, 20);
  EXPECT_DOUBLE_EQ(record.floor, 10);
  EXPECT_NEAR(highest_used(record), 10, 1e-9);
}

TEST(GoalRecord, NothingIsKnownAtFirst) {
  GoalRecord record;
  EXPECT_FALSE(lowest_known(record).has_value());
  EXPECT_DOUBLE_EQ(highest_used(record), 0);
  EXPECT_FALSE(lower_is_no_use(record));
}

TEST(GoalRecord, ItNeverGoesBelowAHalf) {
  GoalRecord record;
  double share = 0.9;
  for (int i = 0; i < 40; ++i) pass(record, 0.25, share *= 0.7);
  EXPECT_GE(record.factor, 0.5);
}

/// One evaluation with a burst is no more than ten times the wanted share of it.
TEST(GoalRecord, ABurstLowersTheTargetByLessThanATenth) {
  GoalRecord record;
  record_goal(record, 10, 60, 60);
  EXPECT_GT(record.factor, 0.9);
  GoalRecord old{.age = 24 * 3600};
  record_goal(old, 10, 300, 300);
  EXPECT_GT(old.factor, 0.985);
}

TEST(GoalRecord, AnIntervalWithoutResponsesSaysNothing) {
  GoalRecord record;
  record_goal(record, 10, 0, 0);
  EXPECT_EQ(record, GoalRecord{});
}

}  // namespace
}  // namespace bellows::autoscaler::slow
