#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "cluster/kubernetes/core/outage.hpp"
#include "cluster/kubernetes/core/set_back.hpp"
#include "cluster/kubernetes/core/status_schedule.hpp"

namespace bellows::cluster {
namespace {

using namespace std::chrono_literals;

TimePoint at(Duration since_start) {
  return TimePoint(1h) + since_start;
}

RevisionId numbered_id(int number) {
  return RevisionId("shop/web-" + std::to_string(number));
}

TEST(SetBackByAnother, TheFirstTwoTimesTheNumberIsSetAgainAtOnce) {
  SetBack rule;
  rule.wrote(at(0s));
  EXPECT_FALSE(rule.set_back(at(1s)));
  EXPECT_FALSE(rule.set_back(at(20s)));
  EXPECT_LE(rule.next_order(at(20s)), at(20s));
}

TEST(SetBackByAnother, AfterTheThirdTimeInAMinuteOrdersWaitThirtySeconds) {
  SetBack rule;
  for (const Duration second : {0s, 20s, 40s}) {
    rule.wrote(at(second));
    EXPECT_EQ(rule.set_back(at(second + 1s)), second == 40s);
  }
  EXPECT_TRUE(rule.is_slow(at(41s)));
  EXPECT_EQ(rule.times(at(41s)), 3);
  EXPECT_EQ(rule.next_order(at(41s)), at(70s));
}

TEST(SetBackByAnother, ThreeTimesInMoreThanAMinuteIsNotSlow) {
  SetBack rule;
  for (const Duration second : {0s, 31s, 62s, 93s}) EXPECT_FALSE(rule.set_back(at(second)));
  EXPECT_FALSE(rule.is_slow(at(93s)));
}

TEST(SetBackByAnother, StaysSlowWhileItGoesOnAndEndsFiveMinutesAfterTheLastTime) {
  SetBack rule;
  for (const Duration second : {0s, 1s, 2s, 60s, 240s}) rule.set_back(at(second));
  EXPECT_TRUE(rule.is_slow(at(240s + 5min - 1s)));
  EXPECT_FALSE(rule.is_slow(at(240s + 5min)));
}

TEST(OutageOfTheServer, NothingIsOrderedWhileItIsAway) {
  Outage outage;
  EXPECT_EQ(outage.may_order(true, at(0s)), Outage::Answer::kSend);
  outage.lost(at(1s));
  outage.lost(at(2s));
  EXPECT_EQ(outage.since(), at(1s));
  EXPECT_EQ(outage.may_order(false, at(3s)), Outage::Answer::kUnreachable);
}

TEST(OutageOfTheServer, WhenItIsBackUpGoesOutAfterTheDrawnDelayAndDownOnlyOnConfirmedLists) {
  Outage outage;
  outage.lost(at(0s));
  outage.regained(at(600s), 0.5);
  EXPECT_EQ(outage.since(), std::nullopt);
  EXPECT_EQ(outage.may_order(false, at(600s)), Outage::Answer::kTooEarly);
  EXPECT_EQ(outage.may_order(false, at(601500ms)), Outage::Answer::kSend);
  EXPECT_EQ(outage.may_order(true, at(601500ms)), Outage::Answer::kUnconfirmed);
  outage.confirmed();
  EXPECT_EQ(outage.may_order(true, at(601500ms)), Outage::Answer::kSend);
}

TEST(OutageOfTheServer, OrdersGoOutWithinFiveSecondsWhateverIsDrawn) {
  for (const double fraction : {0.0, 0.3, 0.999}) {
    Outage outage;
    outage.lost(at(0s));
    outage.regained(at(600s), fraction);
    EXPECT_EQ(outage.may_order(false, at(605s)), Outage::Answer::kSend);
  }
}

/// Every id that take() gives from `from` to `to`, asked every 10 ms, with its time.
std::multimap<RevisionId, TimePoint> taken(StatusSchedule& schedule, TimePoint from, TimePoint to) {
  std::multimap<RevisionId, TimePoint> taken;
  for (TimePoint now = from; now <= to; now += 10ms) {
    while (const auto id = schedule.take(now)) taken.emplace(*id, now);
  }
  return taken;
}

TEST(WritingOfStatuses, ASettledChangeIsWrittenAtOnce) {
  StatusSchedule schedule;
  schedule.changed(numbered_id(1), StatusChange::kSettled, at(0s));
  EXPECT_EQ(schedule.next(), at(0s));
  EXPECT_EQ(schedule.take(at(0s)), numbered_id(1));
  EXPECT_EQ(schedule.take(at(0s)), std::nullopt);
}

TEST(WritingOfStatuses, OneRevisionIsWrittenAtMostOnceInTwoSeconds) {
  StatusSchedule schedule;
  std::vector<TimePoint> times;
  for (TimePoint now = at(0s); now < at(10s); now += 100ms) {
    schedule.changed(numbered_id(1), StatusChange::kSettled, now);
    if (schedule.take(now)) times.push_back(now);
  }
  EXPECT_THAT(times, testing::ElementsAre(at(0s), at(2s), at(4s), at(6s), at(8s)));
}

TEST(WritingOfStatuses, AMovingRevisionWaitsAndIsWrittenOnceWhenItHasSettled) {
  StatusSchedule schedule;
  schedule.changed(numbered_id(1), StatusChange::kMoving, at(0s));
  schedule.changed(numbered_id(1), StatusChange::kMoving, at(1s));
  EXPECT_EQ(schedule.take(at(1s)), std::nullopt);
  schedule.changed(numbered_id(1), StatusChange::kSettled, at(2s));
  EXPECT_EQ(taken(schedule, at(2s), at(30s)).size(), 1U);
}

TEST(WritingOfStatuses, AMovingRevisionIsToldAfterFiveSecondsEvenIfItNeverSettles) {
  StatusSchedule schedule;
  for (TimePoint now = at(0s); now < at(4900ms); now += 100ms) {
    schedule.changed(numbered_id(1), StatusChange::kMoving, now);
    ASSERT_EQ(schedule.take(now), std::nullopt);
  }
  EXPECT_EQ(schedule.take(at(5s)), numbered_id(1));
}

TEST(WritingOfStatuses, AllTogetherAreTwentyASecond) {
  StatusSchedule schedule;
  for (int i = 0; i < 500; ++i) schedule.changed(numbered_id(i), StatusChange::kSettled, at(0s));
  EXPECT_EQ(taken(schedule, at(0s), at(990ms)).size(), 20U);
  EXPECT_EQ(taken(schedule, at(1s), at(60s)).size(), 480U);
}

TEST(WritingOfStatuses, AreTwentyASecondThoughEachIsAskedForALittleLate) {
  StatusSchedule schedule;
  for (int i = 0; i < 500; ++i) schedule.changed(numbered_id(i), StatusChange::kSettled, at(0s));
  TimePoint now = at(0s);
  std::size_t written = 0;
  while (const auto next = schedule.next()) {
    now = *next + 3ms;
    ASSERT_TRUE(schedule.take(now));
    ASSERT_EQ(schedule.take(now), std::nullopt);
    ++written;
  }
  EXPECT_EQ(written, 500U);
  EXPECT_LE(now, at(25s));
}

TEST(WritingOfStatuses, AfterALongDelayTheMissedOnesAreNotCaughtUp) {
  StatusSchedule schedule;
  for (int i = 0; i < 100; ++i) schedule.changed(numbered_id(i), StatusChange::kSettled, at(0s));
  ASSERT_TRUE(schedule.take(at(0s)));
  EXPECT_EQ(taken(schedule, at(3s), at(3s)).size(), 1U);
}

TEST(WritingOfStatuses, AtRestFiveHundredRevisionsWriteTenTimesAMinute) {
  StatusSchedule schedule;
  std::size_t writes = 0;
  for (TimePoint now = at(0s); now < at(45min); now += 1s) {
    if (now.time_since_epoch() % 2s == 0s) {
      for (int i = 0; i < 500; ++i) schedule.changed(numbered_id(i), StatusChange::kMinor, now);
    }
    while (schedule.take(now)) ++writes;
  }
  EXPECT_LE(writes, 45U * 10);
  EXPECT_GE(writes, 39U * 10);
}

TEST(WritingOfStatuses, AMinorChangeGoesAlongWithWhatAUserSees) {
  StatusSchedule schedule;
  schedule.changed(numbered_id(1), StatusChange::kMinor, at(0s));
  schedule.changed(numbered_id(1), StatusChange::kSettled, at(1s));
  EXPECT_EQ(schedule.take(at(1s)), numbered_id(1));
  EXPECT_EQ(schedule.waiting(), 0U);
}

TEST(WritingOfStatuses, ADroppedRevisionIsNotWrittenAndTheOthersAre) {
  StatusSchedule schedule;
  schedule.changed(numbered_id(1), StatusChange::kSettled, at(0s));
  schedule.changed(numbered_id(2), StatusChange::kSettled, at(0s));
  schedule.drop(numbered_id(1));
  const auto written = taken(schedule, at(0s), at(10s));
  EXPECT_EQ(written.size(), 1U);
  EXPECT_TRUE(written.contains(numbered_id(2)));
}

}  // namespace
}  // namespace bellows::cluster
