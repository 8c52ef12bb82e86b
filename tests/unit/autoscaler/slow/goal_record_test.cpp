// How the record of missed seconds moves the target, as diaries.
#include "autoscaler/slow/goal_record.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bellows::autoscaler::slow {
namespace {

/// `hours` of evaluations every 5 minutes in which `share` of the seconds miss the goal.
void pass(GoalRecord& record, double hours, double share) {
  for (int i = 0; i < static_cast<int>(std::lround(hours * 12)); ++i) {
    record_goal(record, 300, 300 * share);
  }
}

TEST(GoalRecord, WhereTheWantedShareIsMissedTheTargetStays) {
  GoalRecord record;
  pass(record, 48, 0.003);
  EXPECT_NEAR(record.factor, 1, 1e-9);
}

TEST(GoalRecord, AMissedGoalLowersTheTargetUntilItIsKept) {
  GoalRecord record;
  pass(record, 0.5, 0.004);
  const double after_half_an_hour = record.factor;
  EXPECT_LT(after_half_an_hour, 0.95);
  pass(record, 4, 0.003);
  EXPECT_NEAR(record.factor, after_half_an_hour, 1e-9);
}

TEST(GoalRecord, ANeverMissedGoalRaisesTheTargetFasterAtFirst) {
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

TEST(GoalRecord, MissedSecondsOfABurstCountInLaterIntervals) {
  GoalRecord record;
  for (int i = 0; i < 28; ++i) record_goal(record, 30, 0);
  record_goal(record, 30, 4);
  const double at_once = record.factor;
  for (int i = 0; i < 3; ++i) record_goal(record, 30, 0);
  EXPECT_LT(record.factor, 0.9 * at_once);
  for (int i = 0; i < 3; ++i) record_goal(record, 30, 0);
  EXPECT_DOUBLE_EQ(record.owed, 0);
  const double after = record.factor;
  record_goal(record, 30, 0);
  EXPECT_GT(record.factor, after);
}

TEST(GoalRecord, WhatTheFirstReplicasMissCountsOnce) {
  GoalRecord record;
  record_goal(record, 30, 20);
  EXPECT_DOUBLE_EQ(record.owed, 0);
}

TEST(GoalRecord, ItNeverGoesBelowTwoThirds) {
  GoalRecord record;
  double share = 0.9;
  for (int i = 0; i < 40; ++i) pass(record, 0.25, share *= 0.7);
  EXPECT_GE(record.factor, 2.0 / 3);
}

/// One evaluation with a burst is no more than ten times the wanted share of it.
TEST(GoalRecord, ABurstLowersTheTargetByLessThanATenth) {
  GoalRecord record;
  record_goal(record, 60, 60);
  EXPECT_GT(record.factor, 0.9);
  GoalRecord old{.age = 24 * 3600};
  record_goal(old, 300, 300);
  EXPECT_GT(old.factor, 0.985);
}

TEST(GoalRecord, AnIntervalWithoutResponsesSaysNothing) {
  GoalRecord record;
  record_goal(record, 0, 0);
  EXPECT_EQ(record, GoalRecord{});
}

}  // namespace
}  // namespace bellows::autoscaler::slow
