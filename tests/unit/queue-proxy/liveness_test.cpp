#include "queue-proxy/core/liveness.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::queue_proxy {
namespace {

using namespace std::chrono_literals;
using Failure = LivenessFailure;
using test::kStart;

constexpr std::string_view kWhy = "no answer within 1s";

/// A diary: an app that is ready at kStart, probed every 10 s.
class LivenessOfAnApp : public testing::Test {
 protected:
  LivenessOfAnApp() { liveness_.app_ready(kStart); }

  void fail(Duration at, Failure how = Failure::kNoAnswer, bool has_answered = false) {
    liveness_.probe_began(kStart + at);
    liveness_.probe_failed(kWhy, how, has_answered, kStart + at + 1s);
  }
  void succeed(Duration at) {
    liveness_.probe_began(kStart + at);
    liveness_.probe_succeeded(kStart + at + 1ms);
  }

  Liveness liveness_{{.period = 10s, .failures_until_hung = 3}};
};

TEST(LivenessOfAnAppThatStarts, IsNotProbedBeforeItIsReady) {
  Liveness liveness({.period = 10s, .failures_until_hung = 3});
  EXPECT_EQ(liveness.next_probe(), std::nullopt);
  liveness.app_ready(kStart);
  EXPECT_EQ(liveness.next_probe(), kStart + 10s);
}

TEST_F(LivenessOfAnApp, HangsAfterThreeFailuresInARowButNotAfterTwo) {
  succeed(10s);
  fail(20s);
  EXPECT_EQ(liveness_.next_probe(), kStart + 30s);
  fail(30s);
  EXPECT_FALSE(liveness_.is_hung());
  fail(40s);
  EXPECT_TRUE(liveness_.is_hung());
  EXPECT_EQ(liveness_.reason(), "3 liveness probes failed in a row: no answer within 1s");
  EXPECT_EQ(liveness_.last_sign(), kStart + 10s + 1ms);
  EXPECT_EQ(liveness_.next_probe(), std::nullopt) << "it is told once";
}

TEST_F(LivenessOfAnApp, OneAnswerToAProbeForgivesTheFailuresBefore) {
  for (const auto at : {10s, 40s, 70s}) {
    fail(at);
    fail(at + 10s);
    succeed(at + 20s);
  }
  EXPECT_FALSE(liveness_.is_hung());
}

TEST_F(LivenessOfAnApp, SlowAtItsLimitIsNotHungWhileItAnswersRequests) {
  for (int probe = 1; probe < 100; ++probe) fail(probe * 10s, Failure::kNoAnswer, true);
  EXPECT_FALSE(liveness_.is_hung());
  fail(1000s);
  fail(1010s);
  EXPECT_FALSE(liveness_.is_hung()) << "each answer begins the count again";
  fail(1020s);
  EXPECT_TRUE(liveness_.is_hung());
}

TEST_F(LivenessOfAnApp, ABadAnswerCountsAlthoughItAnswersRequests) {
  for (const auto at : {10s, 20s, 30s}) fail(at, Failure::kBad, true);
  EXPECT_TRUE(liveness_.is_hung());
}

TEST_F(LivenessOfAnApp, AnotherProcessOfItBeginsAnew) {
  fail(10s);
  fail(20s);
  liveness_.rest();
  EXPECT_EQ(liveness_.next_probe(), std::nullopt);
  liveness_.probe_failed(kWhy, Failure::kBad, false, kStart + 21s);
  EXPECT_FALSE(liveness_.is_hung()) << "the probe was of the process before";
  liveness_.app_ready(kStart + 60s);
  EXPECT_EQ(liveness_.next_probe(), kStart + 70s);
  fail(70s);
  EXPECT_FALSE(liveness_.is_hung());
}

TEST_F(LivenessOfAnApp, ReadyOnceMoreDoesNotPutTheNextProbeOff) {
  liveness_.app_ready(kStart + 9s);
  EXPECT_EQ(liveness_.next_probe(), kStart + 10s);
  for (const auto at : {10s, 20s, 30s}) fail(at);
  liveness_.app_ready(kStart + 31s);
  EXPECT_EQ(liveness_.next_probe(), std::nullopt) << "it hangs until another process runs";
}

}  // namespace
}  // namespace bellows::queue_proxy
