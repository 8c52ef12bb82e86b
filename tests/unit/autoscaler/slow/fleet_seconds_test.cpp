#include "autoscaler/slow/fleet_seconds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/autoscaler/slow/app_data.hpp"

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

const config::LatencyGoal kGoal{.quantile = 0.95, .limit = 200ms};

metrics::ServiceTimes times_of(Duration time, std::uint32_t count) {
  metrics::ServiceTimeCounts counts{};
  counts[metrics::service_time_bucket(time)] = count;
  return metrics::ServiceTimes(counts);
}

TEST(FleetSeconds, ReadsCountMeanAndLateRequestsOfASecond) {
  FleetSeconds fleet;
  const SecondOfTimes fast = fleet.read(times_of(100ms, 10), kGoal);
  EXPECT_DOUBLE_EQ(fast.count, 10);
  EXPECT_NEAR(std::exp(fast.logs / fast.count), 0.1, 0.005);
  EXPECT_DOUBLE_EQ(fast.late, 0);
  EXPECT_NEAR(fleet.read(times_of(400ms, 10), kGoal).late, 10, 1e-9);
  EXPECT_DOUBLE_EQ(fleet.read(times_of(400ms, 10), std::nullopt).late, 0);
  EXPECT_DOUBLE_EQ(fleet.read({}, kGoal).count, 0);
}

/// Seconds of two replicas, one with `own` times as many requests as the other, whose requests take
/// what `time` says of their own number and of all.
template <class F>
double own_share(F time) {
  FleetSeconds fleet;
  fleet.expect(0.1);
  SeededRandom random(3);
  for (int second = 0; second < 300; ++second) {
    const TimePoint now{1h + second * 1s};
    const double load = 20 + 20 * random.fraction();
    const double part = 0.3 + 0.4 * random.fraction();
    for (const double n : {load * part, load * (1 - part)}) {
      KnownApp app;
      app.time = [&](double) { return time(n, load); };
      const SecondOfTimes times = fleet.read(app.second(n, random).times, kGoal);
      fleet.add(now, n, times, true, kGoal);
    }
  }
  const FleetSums sums = fleet.take();
  EXPECT_GT(sums.own_variance, 100);
  return sums.own_covariance / sums.own_variance;
}

TEST(FleetSeconds, TellsOwnRequestsFromASharedBottleneck) {
  EXPECT_NEAR(own_share([](double own, double) { return 0.02 * own; }), 1, 0.05);
  EXPECT_NEAR(own_share([](double, double all) { return 0.01 * all; }), 0, 0.03);
}

TEST(FleetSeconds, OneReplicaSaysNothingAboutWhatIsShared) {
  FleetSeconds fleet;
  fleet.expect(0.01);
  for (int second = 0; second < 100; ++second) {
    const SecondOfTimes times = fleet.read(times_of(1s, 10), kGoal);
    fleet.add(TimePoint(1h + second * 1s), 5 + second, times, true, kGoal);
  }
  EXPECT_DOUBLE_EQ(fleet.take().own_variance, 0);
}

TEST(FleetSeconds, CountsTheSecondsInWhichTheGoalWasMissed) {
  FleetSeconds fleet;
  for (int second = 0; second < 10; ++second) {
    const TimePoint now{1h + second * 1s};
    // 4 and 6 of 100 requests are late; the second with 6 is missed.
    const std::uint32_t late = second % 2 == 0 ? 4 : 6;
    fleet.add(now, 3, fleet.read(times_of(100ms, 100 - late), kGoal), true, kGoal);
    fleet.add(now + 500ms, 3, fleet.read(times_of(1s, late), kGoal), true, kGoal);
  }
  fleet.add(TimePoint(1h + 20s), 0, {}, true, kGoal);  // closes the last one
  const FleetSums sums = fleet.take();
  EXPECT_DOUBLE_EQ(sums.seconds, 10);
  EXPECT_DOUBLE_EQ(sums.missed, 5);
  EXPECT_DOUBLE_EQ(sums.crowding, 3);
  EXPECT_EQ(fleet.take(), FleetSums{});
}

TEST(FleetSeconds, AnEmptyRevisionHasNoNumberThatIsNone) {
  FleetSeconds fleet;
  fleet.expect(0.1);
  for (int second = 0; second < 5; ++second)
    fleet.add(TimePoint(1h + second * 1s), 0, {}, true, {});
  EXPECT_EQ(fleet.take(), FleetSums{});
}

}  // namespace
}  // namespace bellows::autoscaler::slow
