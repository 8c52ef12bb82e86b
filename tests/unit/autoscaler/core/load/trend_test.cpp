#include "autoscaler/core/load/trend.hpp"

#include <gtest/gtest.h>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

const ScalingSpec kSpec;

/// 100 in flight at 0 s, and one more each second since.
Trend climbing_until(std::int64_t second) {
  Trend trend;
  for (std::int64_t s = 0; s <= second; s += 2) {
    const double in_flight = 100 + static_cast<double>(s);
    trend = next_trend(trend, kSpec, load(in_flight, in_flight, 20), at(s));
  }
  return trend;
}

Observation starting_in(Duration start, double stable) {
  Observation seen = load(stable, stable, 20);
  seen.start_time = start;
  return seen;
}

TEST(Trend, PlansHalfOfTheGrowthUntilAReplicaOrderedNowIsReady) {
  // One a second, 8 s to start and 2 s to the next turn: ten more, half of them planned.
  const Trend trend = climbing_until(60);
  EXPECT_NEAR(growth_ahead(trend, starting_in(seconds(8), 160), 160, 0, at(60)), 5, 1e-6);
}

TEST(Trend, AFlashCrowdIsNoTrend) {
  const Trend trend = climbing_until(60);
  EXPECT_DOUBLE_EQ(growth_ahead(trend, starting_in(seconds(20), 2000), 2000, 0, at(62)), 200);
}

TEST(Trend, GrowthThatChanceExplainsIsNone) {
  const Trend trend = climbing_until(60);
  EXPECT_EQ(growth_ahead(trend, starting_in(seconds(8), 160), 160, 100, at(60)), 0);
}

TEST(Trend, AShrinkingLoadIsNotPlannedAhead) {
  const Trend trend = climbing_until(60);
  EXPECT_EQ(growth_ahead(trend, starting_in(seconds(8), 80), 80, 0, at(60)), 0);
}

TEST(Trend, NothingIsPlannedAheadBeforeAStartWasSeenOrHalfAWindowIsOver) {
  EXPECT_EQ(growth_ahead(climbing_until(60), load(160, 160, 20), 160, 0, at(60)), 0);
  EXPECT_EQ(growth_ahead(climbing_until(20), starting_in(seconds(8), 120), 120, 0, at(20)), 0);
}

}  // namespace
}  // namespace bellows::autoscaler::test
