#include "queue-proxy/core/readiness.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using test::kStart;

TEST(ReadinessWhileTheAppStarts, ProbesEveryFewMillisecondsAndIsReadyAfterTheFirstSuccess) {
  Readiness readiness({}, kStart);
  EXPECT_EQ(readiness.next_probe(), kStart);
  readiness.probe_failed("connection refused", ProbeFailure::kRefused, kStart + 1ms);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.reason(), "connection refused");
  EXPECT_EQ(readiness.next_probe(), kStart + 6ms);
  readiness.probe_succeeded(kStart + 6ms);
  EXPECT_TRUE(readiness.is_ready());
  EXPECT_EQ(readiness.reason(), "");
  EXPECT_EQ(readiness.next_probe(), kStart + 6ms + 10s);
}

TEST(ReadinessOfAnAppThatDoesNotStart, ProbesLessOftenAfterAMinute) {
  Readiness readiness({}, kStart);
  readiness.probe_failed("connection refused", ProbeFailure::kRefused, kStart + 59s);
  EXPECT_EQ(readiness.next_probe(), kStart + 59s + 5ms);
  readiness.probe_failed("connection refused", ProbeFailure::kRefused, kStart + 60s);
  EXPECT_EQ(readiness.next_probe(), kStart + 60s + 100ms);
}

TEST(ReadinessOfARunningApp, IsLostAfterThreeFailuresButNotAfterTwo) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.probe_failed("answered 500", ProbeFailure::kBad, kStart + 10s);
  EXPECT_EQ(readiness.next_probe(), kStart + 20s);
  readiness.probe_failed("answered 500", ProbeFailure::kBad, kStart + 20s);
  EXPECT_TRUE(readiness.is_ready());
  EXPECT_EQ(readiness.next_probe(), kStart + 30s);
  readiness.probe_failed("answered 500", ProbeFailure::kBad, kStart + 30s);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.next_probe(), kStart + 30s);
}

TEST(ReadinessOfARunningApp, IsNotLostWhileProbesWaitForItsRequests) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.probe_failed("answered 500", ProbeFailure::kBad, kStart + 10s);
  readiness.probe_failed("answered 500", ProbeFailure::kBad, kStart + 20s);
  for (int probe = 3; probe < 100; ++probe) {
    const TimePoint now = kStart + probe * 10s;
    readiness.probe_failed("no answer within 1s", ProbeFailure::kBusy, now);
    ASSERT_TRUE(readiness.is_ready()) << probe;
    ASSERT_EQ(readiness.next_probe(), now + 10s);
  }
  readiness.probe_failed("answered 500", ProbeFailure::kBad, kStart + 1000s);
  EXPECT_FALSE(readiness.is_ready()) << "what failed before still counts";
}

TEST(ReadinessWithAProbeSchedule, FollowsThem) {
  Readiness readiness({.ready = 2s, .failures_until_unready = 1}, kStart);
  readiness.probe_succeeded(kStart);
  EXPECT_EQ(readiness.next_probe(), kStart + 2s);
  readiness.probe_failed("no answer within 1s", ProbeFailure::kBad, kStart + 3s);
  EXPECT_FALSE(readiness.is_ready());
}

TEST(ReadinessOfARunningApp, ForgetsFailuresAfterASuccess) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  for (int round = 0; round < 5; ++round) {
    readiness.probe_failed("slow", ProbeFailure::kBad, kStart + 1s);
    readiness.probe_failed("slow", ProbeFailure::kBad, kStart + 2s);
    readiness.probe_succeeded(kStart + 3s);
  }
  EXPECT_TRUE(readiness.is_ready());
}

TEST(ReadinessWhenTheAppRefusesConnections, IsLostAtOnceAndProbedEagerlyAgain) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.probe_failed("connection refused", ProbeFailure::kRefused, kStart + 100s);
  EXPECT_FALSE(readiness.is_ready());
  EXPECT_EQ(readiness.next_probe(), kStart + 100s);
  readiness.probe_failed("connection refused", ProbeFailure::kRefused, kStart + 100s);
  EXPECT_EQ(readiness.next_probe(), kStart + 100s + 5ms);
}

TEST(ReadinessAfterTheAppWasRestarted, StartsAgain) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.app_restarted(kStart + 5s);
  EXPECT_EQ(readiness.state(), ReadinessState::kStarting);
  EXPECT_EQ(readiness.reason(), "the app was restarted");
  EXPECT_EQ(readiness.next_probe(), kStart + 5s);
}

TEST(ReadinessWhenRequestsAreRefused, IsLostWithTheFirstAndTheOthersDoNotSpeedUpTheProbes) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.app_refused(kStart + 5s);
  EXPECT_EQ(readiness.state(), ReadinessState::kStarting);
  EXPECT_EQ(readiness.reason(), "the app refused a connection");
  EXPECT_EQ(readiness.next_probe(), kStart + 5s);
  readiness.app_refused(kStart + 60s);
  readiness.probe_failed("connection refused", ProbeFailure::kRefused, kStart + 65s);
  EXPECT_EQ(readiness.next_probe(), kStart + 65s + 100ms);
}

TEST(ReadinessWhileDraining, IsNeverRegained) {
  Readiness readiness({}, kStart);
  readiness.probe_succeeded(kStart);
  readiness.start_draining();
  readiness.probe_succeeded(kStart + 1s);
  readiness.probe_failed("refused", ProbeFailure::kRefused, kStart + 1s);
  readiness.app_restarted(kStart + 2s);
  readiness.app_refused(kStart + 2s);
  EXPECT_EQ(readiness.state(), ReadinessState::kDraining);
  EXPECT_EQ(readiness.reason(), "draining");
}

TEST(ReadinessOfAReplicaWhoseDrainWasUndone, ProbesEagerlyAgain) {
  Readiness readiness({}, kStart);
  readiness.end_draining(kStart);  // it does not drain
  EXPECT_EQ(readiness.reason(), "the app has not answered yet");
  readiness.probe_succeeded(kStart);
  readiness.start_draining();
  readiness.probe_succeeded(kStart + 1s);
  EXPECT_FALSE(readiness.is_ready());
  readiness.end_draining(kStart + 20s);
  EXPECT_EQ(readiness.reason(), "the drain was undone");
  EXPECT_EQ(readiness.next_probe(), kStart + 20s);
  readiness.probe_succeeded(kStart + 20s);
  EXPECT_TRUE(readiness.is_ready());
}

}  // namespace
}  // namespace bellows::queue_proxy
