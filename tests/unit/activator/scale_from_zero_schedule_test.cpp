#include "activator/core/scale_from_zero_schedule.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using test::kStart;

TEST(ScaleFromZeroSchedule, TriggersAtOnceWithTheFirstWaitingRequest) {
  ScaleFromZeroSchedule schedule;
  EXPECT_FALSE(schedule.take_trigger(0, false, kStart));
  EXPECT_TRUE(schedule.take_trigger(1, false, kStart));
  EXPECT_FALSE(schedule.take_trigger(1, false, kStart + milliseconds(1))) << "triggered already";
}

TEST(ScaleFromZeroSchedule, CallersWhoComeTogetherAreToldOfWithinMilliseconds) {
  ScaleFromZeroSchedule schedule;
  ASSERT_TRUE(schedule.take_trigger(1, false, kStart));
  EXPECT_FALSE(schedule.take_trigger(2, false, kStart + milliseconds(1)));
  EXPECT_EQ(schedule.next_trigger(), kStart + milliseconds(5));
  EXPECT_FALSE(schedule.take_trigger(60, false, kStart + milliseconds(4)));
  EXPECT_TRUE(schedule.take_trigger(60, false, kStart + milliseconds(5)));
}

TEST(ScaleFromZeroSchedule, FewMoreCallersAreNoNews) {
  ScaleFromZeroSchedule schedule;
  ASSERT_TRUE(schedule.take_trigger(60, false, kStart));
  EXPECT_FALSE(schedule.take_trigger(75, false, kStart + milliseconds(500)));
  EXPECT_EQ(schedule.next_trigger(), kStart + milliseconds(1000));
  EXPECT_TRUE(schedule.take_trigger(76, false, kStart + milliseconds(501))) << "a quarter more";
}

TEST(ScaleFromZeroSchedule, ALongQueueCostsFewTriggers) {
  ScaleFromZeroSchedule schedule;
  int triggers = 0;
  for (int waiting = 1; waiting <= 10'000; ++waiting) {
    const bool is_due =
        schedule.take_trigger(waiting, false, kStart + std::chrono::microseconds(50) * waiting);
    if (is_due) ++triggers;
  }
  EXPECT_LT(triggers, 45);
  EXPECT_GT(triggers, 10);
}

TEST(ScaleFromZeroSchedule, RepeatsTheTriggerEachSecondUntilAReplicaIsReady) {
  ScaleFromZeroSchedule schedule;
  ASSERT_TRUE(schedule.take_trigger(1, false, kStart));
  EXPECT_EQ(schedule.next_trigger(), kStart + milliseconds(1000));
  EXPECT_FALSE(schedule.take_trigger(1, false, kStart + milliseconds(999)));
  EXPECT_TRUE(schedule.take_trigger(1, false, kStart + milliseconds(1000)));
  EXPECT_FALSE(schedule.take_trigger(1, false, kStart + milliseconds(1500)));
  EXPECT_TRUE(schedule.take_trigger(1, false, kStart + milliseconds(2000)));
  EXPECT_FALSE(schedule.take_trigger(1, true, kStart + milliseconds(3000)));
  EXPECT_EQ(schedule.next_trigger(), std::nullopt);
}

TEST(ScaleFromZeroSchedule, KnowsHowLongItHasTriggered) {
  ScaleFromZeroSchedule schedule;
  schedule.take_trigger(1, false, kStart);
  EXPECT_EQ(schedule.triggered_for(kStart), milliseconds(0));
  schedule.take_trigger(1, false, kStart + milliseconds(1000));
  EXPECT_EQ(schedule.triggered_for(kStart + milliseconds(1000)), milliseconds(1000));
  schedule.take_trigger(0, false, kStart + milliseconds(1500));
  schedule.take_trigger(1, false, kStart + milliseconds(5000));
  EXPECT_EQ(schedule.triggered_for(kStart + milliseconds(5000)), milliseconds(0))
      << "another first request";
}

TEST(ScaleFromZeroSchedule, EndsWhenTheLastCallerHangsUp) {
  ScaleFromZeroSchedule schedule;
  ASSERT_TRUE(schedule.take_trigger(1, false, kStart));
  EXPECT_FALSE(schedule.take_trigger(0, false, kStart + milliseconds(10)));
  EXPECT_EQ(schedule.next_trigger(), std::nullopt);
  EXPECT_TRUE(schedule.take_trigger(1, false, kStart + milliseconds(20))) << "a new first request";
}

TEST(ScaleFromZeroSchedule, DoesNotTriggerWhileAReplicaIsReady) {
  ScaleFromZeroSchedule schedule;
  EXPECT_FALSE(schedule.take_trigger(1, true, kStart));
  EXPECT_EQ(schedule.next_trigger(), std::nullopt);
}

TEST(ScaleFromZeroSchedule, TriggersAtOnceWhenTheLastReplicaIsLostWhileRequestsWait) {
  ScaleFromZeroSchedule schedule;
  ASSERT_FALSE(schedule.take_trigger(1, true, kStart));
  EXPECT_TRUE(schedule.take_trigger(1, false, kStart + milliseconds(1)));
}

}  // namespace
}  // namespace bellows::activator
