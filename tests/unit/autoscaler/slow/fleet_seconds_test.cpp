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

TEST(FleetSeconds, ReadsCountAndLateRequestsOfASecond) {
  FleetSeconds fleet;
  const SecondOfTimes fast = fleet.read(times_of(100ms, 10), kGoal);
  EXPECT_DOUBLE_EQ(fast.count, 10);
  EXPECT_NEAR(fast.longest, 0.1, 0.005);
  EXPECT_DOUBLE_EQ(fast.late, 0);
  EXPECT_NEAR(fleet.read(times_of(400ms, 10), kGoal).late, 10, 1e-9);
  EXPECT_DOUBLE_EQ(fleet.read(times_of(400ms, 10), std::nullopt).late, 0);
  EXPECT_DOUBLE_EQ(fleet.read({}, kGoal).count, 0);
}

TEST(FleetSeconds, CountsTheSecondsInWhichTheGoalWasMissed) {
  FleetSeconds fleet;
  for (int second = 0; second < 10; ++second) {
    const TimePoint now{1h + second * 1s};
    // 4 and 6 of 100 requests are late; the second with 6 is missed.
    const std::uint32_t late = second % 2 == 0 ? 4 : 6;
    fleet.add(now, 3, fleet.read(times_of(100ms, 100 - late), kGoal), kGoal);
    fleet.add(now + 500ms, 3, fleet.read(times_of(1s, late), kGoal), kGoal);
  }
  fleet.add(TimePoint(1h + 20s), 0, {}, kGoal);  // closes the last one
  const FleetSums sums = fleet.take();
  EXPECT_DOUBLE_EQ(sums.seconds, 10);
  EXPECT_DOUBLE_EQ(sums.missed, 5);
  EXPECT_DOUBLE_EQ(sums.crowding, 3);
  EXPECT_EQ(fleet.take(), FleetSums{});
}

TEST(FleetSeconds, AnEmptyRevisionHasNoNumberThatIsNone) {
  FleetSeconds fleet;
  for (int second = 0; second < 5; ++second) fleet.add(TimePoint(1h + second * 1s), 0, {}, {});
  EXPECT_EQ(fleet.take(), FleetSums{});
}

}  // namespace
}  // namespace bellows::autoscaler::slow
