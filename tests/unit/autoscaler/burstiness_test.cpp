#include "autoscaler/core/burstiness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/autoscaler/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

const ScalingSpec kSpec;

Observation rates(double stable, double panic) {
  Observation seen = load(50, 50, 10);
  seen.stable_rate = stable;
  seen.panic_rate = panic;
  return seen;
}

/// Panic windows that are `step` requests a second over and under 100 in turn, for ten minutes.
Burstiness after_swings(double step) {
  Burstiness burstiness;
  for (int i = 0; i < 100; ++i) {
    const double rate = 100 + (i % 2 == 0 ? step : -step);
    burstiness = next_burstiness(burstiness, kSpec, rates(100, rate), at(6 * i));
  }
  return burstiness;
}

TEST(Burstiness, IsOneForAnEvenFlow) {
  EXPECT_EQ(after_swings(0).index, 1);
}

TEST(Burstiness, ComesToTheVarianceOverTheMeanOfTheArrivals) {
  // Rates 100 +- r: a step of 2r, half its square is 2r^2; of independent callers it would be
  // 100 / 6 on average. r = sqrt(8.33 * 4) is four times that.
  EXPECT_NEAR(after_swings(std::sqrt(100.0 / 6 / 2 * 4)).index, 4, 1);
}

TEST(Burstiness, ASlowRampIsNone) {
  Burstiness burstiness;
  for (int i = 0; i < 100; ++i) {
    burstiness = next_burstiness(burstiness, kSpec, rates(100 + i, 100 + i), at(6 * i));
  }
  EXPECT_LT(burstiness.index, 1.05);
}

TEST(Burstiness, OneFlashCrowdDoesNotMakeIt) {
  Burstiness burstiness = next_burstiness({}, kSpec, rates(100, 100), at(0));
  burstiness = next_burstiness(burstiness, kSpec, rates(200, 2000), at(6));
  EXPECT_LT(burstiness.index, 1.25);
}

TEST(Burstiness, IsLookedAtOncePerPanicWindow) {
  const Burstiness first = next_burstiness({}, kSpec, rates(100, 100), at(0));
  EXPECT_EQ(next_burstiness(first, kSpec, rates(100, 300), at(4)), first);
  EXPECT_NE(next_burstiness(first, kSpec, rates(100, 300), at(6)), first);
}

TEST(Burstiness, BeginsAnewAfterSecondsThatNobodyKnows) {
  const Burstiness first = next_burstiness({}, kSpec, rates(100, 100), at(0));
  Observation blind = rates(100, 300);
  blind.panic.covered_seconds = 2;
  const Burstiness after = next_burstiness(first, kSpec, blind, at(6));
  EXPECT_EQ(next_burstiness(after, kSpec, rates(100, 300), at(12)).index, 1);
}

TEST(Burstiness, WidensTheSpreadByLessThanItselfAndWithinABound) {
  EXPECT_DOUBLE_EQ(spread_index({}), 1);
  EXPECT_LT(spread_index({.index = 4, .last_rate = -1, .last_at = {}}), 4);
  EXPECT_GT(spread_index({.index = 4, .last_rate = -1, .last_at = {}}), 2);
  EXPECT_LE(spread_index({.index = 1e6, .last_rate = -1, .last_at = {}}), 6);
}

TEST(Burstiness, IsOneWhereItIsNotToBeLearned) {
  ScalingSpec spec;
  spec.rules.learn_burstiness = false;
  Burstiness burstiness = next_burstiness({}, spec, rates(100, 100), at(0));
  burstiness = next_burstiness(burstiness, spec, rates(100, 900), at(6));
  EXPECT_EQ(burstiness.index, 1);
}

}  // namespace
}  // namespace bellows::autoscaler::test
