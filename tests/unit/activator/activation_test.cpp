#include "activator/core/activation.hpp"

#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;

constexpr TimePoint kStart{std::chrono::hours(24)};

TEST(ActivationOfASleepingRevision, HappensAtOnceWithTheFirstWaitingRequest) {
  Activation activation;
  EXPECT_FALSE(activation.wake_now(0, false, kStart));
  EXPECT_TRUE(activation.wake_now(1, false, kStart));
  EXPECT_FALSE(activation.wake_now(2, false, kStart + milliseconds(1))) << "said already";
}

TEST(ActivationOfASleepingRevision, IsSaidAgainEachSecondUntilSomethingIsReady) {
  Activation activation;
  ASSERT_TRUE(activation.wake_now(1, false, kStart));
  EXPECT_EQ(activation.next_wake(), kStart + milliseconds(1000));
  EXPECT_FALSE(activation.wake_now(1, false, kStart + milliseconds(999)));
  EXPECT_TRUE(activation.wake_now(1, false, kStart + milliseconds(1000)));
  EXPECT_FALSE(activation.wake_now(1, false, kStart + milliseconds(1500)));
  EXPECT_TRUE(activation.wake_now(1, false, kStart + milliseconds(2000)));
  EXPECT_FALSE(activation.wake_now(1, true, kStart + milliseconds(3000)));
  EXPECT_EQ(activation.next_wake(), std::nullopt);
}

TEST(ActivationOfASleepingRevision, KnowsForHowLongItHasBeenSaid) {
  Activation activation;
  activation.wake_now(1, false, kStart);
  EXPECT_EQ(activation.woken_for(kStart), milliseconds(0));
  activation.wake_now(1, false, kStart + milliseconds(1000));
  EXPECT_EQ(activation.woken_for(kStart + milliseconds(1000)), milliseconds(1000));
  activation.wake_now(0, false, kStart + milliseconds(1500));
  activation.wake_now(1, false, kStart + milliseconds(5000));
  EXPECT_EQ(activation.woken_for(kStart + milliseconds(5000)), milliseconds(0)) << "somebody else";
}

TEST(ActivationOfASleepingRevision, EndsWhenTheLastCallerHangsUp) {
  Activation activation;
  ASSERT_TRUE(activation.wake_now(1, false, kStart));
  EXPECT_FALSE(activation.wake_now(0, false, kStart + milliseconds(10)));
  EXPECT_EQ(activation.next_wake(), std::nullopt);
  EXPECT_TRUE(activation.wake_now(1, false, kStart + milliseconds(20))) << "a new first request";
}

TEST(ActivationOfAServingRevision, NeverHappensThoughRequestsWait) {
  Activation activation;
  EXPECT_FALSE(activation.wake_now(500, true, kStart));
  EXPECT_EQ(activation.next_wake(), std::nullopt);
}

TEST(ActivationOfARevisionThatLostItsLastReplica, HappensAtOnceForThoseWhoWait) {
  Activation activation;
  ASSERT_FALSE(activation.wake_now(3, true, kStart));
  EXPECT_TRUE(activation.wake_now(3, false, kStart + milliseconds(1)));
}

}  // namespace
}  // namespace bellows::activator
