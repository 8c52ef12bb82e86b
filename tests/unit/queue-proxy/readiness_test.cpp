#include "queue-proxy/core/readiness.hpp"

#include <gtest/gtest.h>

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1h};

TEST(ReadinessWhileTheAppStarts, AsksEveryFewMillisecondsAndIsReadyAtTheFirstAnswer) {
  Readiness readiness({}, kStart);
  EXPECT_EQ(readiness.next_probe(), kStart);
  readiness.probe_failed("connection refused", true, kStart + 1ms);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.reason(), "connection refused");
  EXPECT_EQ(readiness.next_probe(), kStart + 6ms);
  readiness.probe_succeeded(kStart + 6ms);
  EXPECT_TRUE(readiness.is_ready());
  EXPECT_EQ(readiness.reason(), "");
  EXPECT_EQ(readiness.next_probe(), kStart + 6ms + 10s);
}

TEST(ReadinessOfAnAppThatDoesNotCome, IsAskedLessOftenAfterAMinute) {
  Readiness readiness({}, kStart);
  readiness.probe_failed("connection refused", true, kStart + 59s);
  EXPECT_EQ(readiness.next_probe(), kStart + 59s + 5ms);
  readiness.probe_failed("connection refused", true, kStart + 60s);
  EXPECT_EQ(readiness.next_probe(), kStart + 60s + 100ms);
}

TEST(ReadinessOfARunningApp, SurvivesTwoSlowAnswersButNotThree) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.probe_failed("no answer within 1s", false, kStart + 10s);
  readiness.probe_failed("no answer within 1s", false, kStart + 11s);
  EXPECT_TRUE(readiness.is_ready());
  readiness.probe_failed("no answer within 1s", false, kStart + 12s);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.next_probe(), kStart + 12s);
}

TEST(ReadinessOfARunningApp, ForgetsFailuresAfterASuccess) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  for (int round = 0; round < 5; ++round) {
    readiness.probe_failed("slow", false, kStart + 1s);
    readiness.probe_failed("slow", false, kStart + 2s);
    readiness.probe_succeeded(kStart + 3s);
  }
  EXPECT_TRUE(readiness.is_ready());
}

TEST(ReadinessWhenNobodyListensAnyMore, IsLostAtOnceAndAskedEagerlyAgain) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.probe_failed("connection refused", true, kStart + 100s);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.next_probe(), kStart + 100s);
  readiness.probe_failed("connection refused", true, kStart + 100s);
  EXPECT_EQ(readiness.next_probe(), kStart + 100s + 5ms);
}

TEST(ReadinessAfterTheAppWasRestarted, StartsAnew) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.app_lost("the app was restarted", kStart + 5s);
  EXPECT_EQ(readiness.state(), ReadinessState::kStarting);
  EXPECT_EQ(readiness.reason(), "the app was restarted");
  EXPECT_EQ(readiness.next_probe(), kStart + 5s);
}

TEST(ReadinessWhileDraining, NeverComesBack) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.start_draining();
  readiness.probe_succeeded(kStart + 1s);
  readiness.probe_failed("refused", true, kStart + 1s);
  readiness.app_lost("restarted", kStart + 2s);
  EXPECT_EQ(readiness.state(), ReadinessState::kDraining);
  EXPECT_EQ(readiness.reason(), "draining");
}

}  // namespace
}  // namespace bellows::queue_proxy
