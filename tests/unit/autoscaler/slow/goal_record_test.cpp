// How the record of missed seconds moves the target, as diaries.
#include "autoscaler/slow/goal_record.hpp"

#include <gtest/gtest.h>

namespace bellows::autoscaler::slow {
namespace {

/// `hours` of evaluations every 5 minutes in which `share` of the seconds miss the goal.
void pass(GoalRecord& record, double hours, double share) {
  for (int i = 0; i < static_cast<int>(hours * 12); ++i) record_goal(record, 300, 300 * share);
}

TEST(GoalRecord, AGoalThatIsKeptLeavesTheTargetAlone) {
  GoalRecord record;
  pass(record, 48, 0.005);
  EXPECT_DOUBLE_EQ(record.factor, 1);
}

TEST(GoalRecord, AMissedGoalLowersTheTargetUntilItIsKept) {
  GoalRecord record;
  pass(record, 0.25, 0.08);
  EXPECT_DOUBLE_EQ(record.factor, 0.85);
  pass(record, 0.5, 0.04);
  EXPECT_DOUBLE_EQ(record.factor, 0.85 * 0.85);
  pass(record, 12, 0.005);
  EXPECT_DOUBLE_EQ(record.factor, 0.85 * 0.85);
}

TEST(GoalRecord, WhereALowerTargetDoesNotHelpItIsTakenBackForADay) {
  GoalRecord record;
  pass(record, 0.5, 0.08);
  EXPECT_DOUBLE_EQ(record.factor, 1);
  pass(record, 20, 0.08);
  EXPECT_DOUBLE_EQ(record.factor, 1);
  pass(record, 10, 0.08);
  EXPECT_TRUE(record.factor == 0.85 || record.is_no_use);  // tried again
}

TEST(GoalRecord, ItNeverGoesBelowAHalf) {
  GoalRecord record;
  double share = 0.9;
  for (int i = 0; i < 40; ++i) pass(record, 0.25, share *= 0.7);
  EXPECT_GE(record.factor, 0.5);
}

TEST(GoalRecord, WhatIsHardlyEverMissedIsRaisedSlowly) {
  GoalRecord record{.factor = 0.7};
  pass(record, 24, 0.0);
  EXPECT_NEAR(record.factor, 0.7 * 1.05 * 1.05 * 1.05, 0.06);
  pass(record, 24 * 30, 0.0);
  EXPECT_DOUBLE_EQ(record.factor, 1);
}

TEST(GoalRecord, AFewMinutesOrTwoBurstsSayNothing) {
  GoalRecord few;
  record_goal(few, 500, 450);
  EXPECT_DOUBLE_EQ(few.factor, 1);
  GoalRecord bursts;
  record_goal(bursts, 900, 20);
  EXPECT_DOUBLE_EQ(bursts.factor, 1);
}

}  // namespace
}  // namespace bellows::autoscaler::slow
