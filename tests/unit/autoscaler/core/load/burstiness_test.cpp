#include "autoscaler/core/load/burstiness.hpp"

#include <gtest/gtest.h>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

constexpr double kService = 0.5;  // seconds

/// 200 in flight over the windows, `newest` in the last second.
Observation newest(double load_now) {
  Observation seen = load(200, 200, 30);
  seen.newest = load_now;
  return seen;
}

/// Evaluations every two seconds.
class Burst : public testing::Test {
 protected:
  void see(const Observation& seen) {
    learn_burstiness(learned_, recent_, spec_, seen, kService, at(now_));
    now_ += 2;
  }
  /// Seconds that are `step` over and under 200, three evaluations each.
  void swing(double step, int evaluations) {
    for (int i = 0; i < evaluations; ++i) see(newest(200 + (i / 3 % 2 == 0 ? step : -step)));
  }

  ScalingSpec spec_;
  Burstiness learned_;
  RecentLoads recent_;
  int now_ = 0;
};

TEST_F(Burst, IsOneForAnEvenFlow) {
  swing(0, 100);
  EXPECT_EQ(learned_.index, 1);
  EXPECT_EQ(learned_.samples, 97);  // the first three have nothing to be compared with
}

TEST_F(Burst, ComesToTheVarianceOverThatOfIndependentCallers) {
  // Two seconds of 200 requests in flight, half a second each, differ by sqrt(2 * 200 * 0.5) = 14.1
  // if chance alone makes them. Twice that is four times the variance.
  swing(14.1, 3000);
  EXPECT_NEAR(learned_.index, 4, 0.1);
}

TEST_F(Burst, IsLearnedWithinMinutesAtFirst) {
  swing(14.1, 60);
  EXPECT_GT(learned_.index, 2.5);
}

TEST_F(Burst, ASlowRampIsNone) {
  for (int i = 0; i < 100; ++i) see(newest(200 + i));
  EXPECT_LT(learned_.index, 1.05);
}

TEST_F(Burst, OneFlashCrowdDoesNotMakeIt) {
  swing(0, 200);
  for (int i = 0; i < 50; ++i) see(newest(5000));
  EXPECT_LT(learned_.index, 1.5);
}

TEST_F(Burst, IsLookedAtOncePerEvaluation) {
  swing(0, 10);
  const Burstiness before = learned_;
  const RecentLoads recent = recent_;
  now_ -= 1;  // an extra decision, because a request is queued
  see(newest(900));
  EXPECT_EQ(learned_, before);
  EXPECT_EQ(recent_, recent);
}

TEST_F(Burst, StartsAgainAfterUnknownSecondsAndAfterAPause) {
  swing(0, 10);
  Observation blind = newest(900);
  blind.panic.covered_seconds = 2;
  see(blind);
  EXPECT_EQ(recent_, RecentLoads{});
  swing(0, 10);
  now_ += 60;
  const Burstiness before = learned_;
  see(newest(900));
  EXPECT_EQ(learned_, before);
  EXPECT_EQ(recent_.middle, -1);
}

TEST_F(Burst, IsNotLearnedWhereItIsNotToBe) {
  spec_.rules.learn_burstiness = false;
  swing(100, 100);
  EXPECT_EQ(learned_, Burstiness{});
}

TEST(SpreadIndex, GoesWithTheIndexWithinABound) {
  EXPECT_DOUBLE_EQ(spread_index({}), 1);
  EXPECT_NEAR(spread_index({.index = 2}), 1.84, 1e-9);
  EXPECT_LE(spread_index({.index = 1e6}), 17);
}

TEST(SpreadIndex, IsMoreForStartsThatTakeLong) {
  const ScalingSpec spec;  // a window of 60 s
  EXPECT_EQ(spread_over_start(2, spec, std::nullopt), 2);
  EXPECT_EQ(spread_over_start(2, spec, seconds(2)), 2);  // over by the next evaluation
  EXPECT_NEAR(spread_over_start(2, spec, seconds(20)), 2.6, 1e-9);
  EXPECT_EQ(spread_over_start(2, spec, seconds(600)), 4);
}

}  // namespace
}  // namespace bellows::autoscaler::test
