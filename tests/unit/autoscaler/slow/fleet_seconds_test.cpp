#include "autoscaler/slow/fleet_seconds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "autoscaler/slow/interval.hpp"
#include "tests/unit/autoscaler/slow/app_data.hpp"

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

const config::LatencyGoal kGoal{.quantile = 0.95, .limit = 200ms};
const SlowSpec kSpec{.goal = kGoal};

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
    fleet.add(now, 3, 50, fleet.read(times_of(100ms, 100 - late), kGoal), kSpec);
    fleet.add(now + 500ms, 3, 50, fleet.read(times_of(1s, late), kGoal), kSpec);
  }
  fleet.add(TimePoint(1h + 20s), 0, 0, {}, kSpec);  // closes the last one
  const FleetSums sums = fleet.take();
  EXPECT_DOUBLE_EQ(sums.seconds, 10);
  EXPECT_DOUBLE_EQ(sums.missed, 5);
  EXPECT_DOUBLE_EQ(sums.crowding, 3);
  EXPECT_EQ(fleet.take(), FleetSums{});
}

TEST(FleetSeconds, AnEmptyRevisionHasNoNumberThatIsNone) {
  FleetSeconds fleet;
  for (int second = 0; second < 5; ++second) fleet.add(TimePoint(1h + second * 1s), 0, 0, {}, {});
  EXPECT_EQ(fleet.take(), FleetSums{});
}

/// A revision of two replicas, second by second.
class Seconds {
 public:
  /// `count` seconds with so many requests in flight, arriving and ending.
  void pass(int count, double in_flight, double arrived, std::uint32_t ended) {
    for (int i = 0; i < count; ++i) {
      now_ += 1s;
      const SecondOfTimes times = fleet.read(times_of(100ms, ended / 2), kGoal);
      fleet.add(now_, in_flight / 2, arrived / 2, times, spec);
      fleet.add(now_ + 1ms, in_flight / 2, arrived / 2, times, spec);
    }
  }
  /// In the second of the last pass().
  void wait(double waiting) { fleet.wait(now_ + 2ms, waiting); }
  FleetSeconds fleet;
  SlowSpec spec = kSpec;

 private:
  TimePoint now_{1h};
};

TEST(FleetSeconds, SimultaneouslySlowReplicasAreAStall) {
  Seconds seconds;
  seconds.pass(180, 10, 100, 100);
  EXPECT_FALSE(seconds.fleet.is_stalled());
  seconds.pass(2, 17, 100, 30);
  EXPECT_TRUE(seconds.fleet.is_stalled());
  seconds.pass(5, 30, 100, 100);
  EXPECT_TRUE(seconds.fleet.is_stalled());
  seconds.pass(2, 10, 100, 100);
  EXPECT_TRUE(seconds.fleet.is_stalled());  // what began in it may still end
  seconds.pass(3, 10, 100, 100);
  EXPECT_FALSE(seconds.fleet.is_stalled());
}

TEST(FleetSeconds, WhatIsSlowForGoodIsNoStallAfterAMinute) {
  Seconds seconds;
  seconds.pass(180, 10, 100, 100);
  seconds.pass(30, 25, 100, 40);
  EXPECT_TRUE(seconds.fleet.is_stalled());
  seconds.pass(40, 25, 100, 100);
  EXPECT_FALSE(seconds.fleet.is_stalled());
}

TEST(FleetSeconds, LessLoadOrABurstIsNoStall) {
  Seconds seconds;
  seconds.pass(180, 10, 100, 100);
  seconds.pass(5, 2, 20, 20);
  EXPECT_FALSE(seconds.fleet.is_stalled());
  seconds.pass(60, 10, 100, 100);
  seconds.pass(10, 60, 600, 120);
  EXPECT_FALSE(seconds.fleet.is_stalled());
  seconds.pass(10, 60, 600, 50);  // slowed down by what came
  EXPECT_FALSE(seconds.fleet.is_stalled());
}

TEST(FleetSeconds, FewRequestsASecondCannotTell) {
  Seconds seconds;
  seconds.pass(180, 2, 6, 6);
  seconds.pass(3, 2, 6, 0);
  EXPECT_FALSE(seconds.fleet.is_stalled());
}

/// The seconds that a jump from 20 to 200 requests a second misses while, from its third second on,
/// so many wait in the activator in each second.
double missed_while(const std::vector<double>& waiting) {
  Seconds seconds;
  seconds.pass(300, 4, 20, 20);
  seconds.pass(2, 40, 200, 200);
  for (const double each : waiting) {
    seconds.pass(1, 40, 200, 200);
    seconds.wait(each);
  }
  seconds.pass(80, 40, 200, 200);
  const FleetSums sums = seconds.fleet.take();
  EXPECT_DOUBLE_EQ(sums.missed + sums.missed_by_jumps, 0) << "no replica was slow";
  return sums.jumps.empty() ? -1 : sums.jumps.front().missed;
}

TEST(FleetSeconds, CallersThatWaitLongerThanTheGoalAllowsMissItInAJump) {
  // 200 a second take 200 ms, the limit of the goal, if 40 wait.
  EXPECT_DOUBLE_EQ(missed_while({39, 39, 39}), 0);
  EXPECT_DOUBLE_EQ(missed_while({0, 41, 0}), 2) << "they end a second later";
  EXPECT_DOUBLE_EQ(missed_while({400, 400, 20, 5, 0}), 5) << "the queue is first in, first out";
  EXPECT_DOUBLE_EQ(missed_while({400, 0, 20, 5, 0}), 2);
}

/// The load of a jump from 4 to 40 requests in flight.
double jump_at(double share_before, double share_then) {
  Seconds seconds;
  seconds.spec.share = share_before;
  seconds.pass(300, 4, 20, 20);
  seconds.spec.share = share_then;
  seconds.pass(100, 40, 200, 200);
  const FleetSums sums = seconds.fleet.take();
  return sums.jumps.empty() ? 0 : sums.jumps.front().load;
}

TEST(FleetSeconds, AJumpIsRecordedWithTheLoadOfTheWholeService) {
  const double alone = jump_at(1, 1);
  EXPECT_NEAR(alone, 40, 4);
  EXPECT_DOUBLE_EQ(jump_at(0.05, 0.05), 20 * alone);
}

TEST(FleetSeconds, AStepOfACanaryIsAJumpOfWhatTheServiceHadAllTheTime) {
  EXPECT_DOUBLE_EQ(jump_at(0.05, 0.5), 2 * jump_at(1, 1));
}

TEST(FleetSeconds, WhatComesToATagAloneIsNoJumpOfTheService) {
  EXPECT_DOUBLE_EQ(jump_at(0, 0), 0);
}

/// A replica that was there before, second by second.
class Replica {
 public:
  Replica() { meter_.expect_old(TimePoint(1h + 1s)); }
  /// `count` seconds with so many requests in flight, of which so many ended after `time`.
  void pass(int count, double in_flight, std::uint32_t ended, Duration time) {
    for (int i = 0; i < count; ++i) {
      metrics::ReplicaReading reading;
      reading.completed = ended;
      reading.times = times_of(time, ended);
      metrics::Stat stat;
      stat.pod = PodName("a");
      stat.concurrency = in_flight;
      stat.requests = 100;
      stat.reading = metrics::ReadingPtr(reading);
      meter_.record(stat, {}, now_);
      now_ += 1s;
    }
  }
  LevelTable table() { return meter_.take(now_ + 1s, false).table; }

 private:
  IntervalMeter meter_;
  TimePoint now_{1h};
};

double times_at(const LevelTable& table, double in_flight) {
  return table.find(level_of(in_flight))->times.count();
}

TEST(IntervalMeter, RequestsOfAFullerSecondBeforeAreNotTimesOfAnEmptierOne) {
  Replica replica;
  replica.pass(10, 40, 10, 2500ms);
  replica.pass(10, 4, 10, 2500ms);
  const LevelTable table = replica.table();
  EXPECT_DOUBLE_EQ(times_at(table, 40), 100);
  // The first three seconds of the emptier replica ended what the fuller one had begun.
  EXPECT_DOUBLE_EQ(times_at(table, 4), 70);
  EXPECT_DOUBLE_EQ(table.find(level_of(4))->seconds, 10);
}

TEST(IntervalMeter, RequestsOfAnEmptierSecondBeforeAreNotTimesOfAFullerOne) {
  Replica replica;
  replica.pass(10, 4, 10, 2500ms);
  replica.pass(10, 40, 10, 2500ms);
  const LevelTable table = replica.table();
  EXPECT_DOUBLE_EQ(times_at(table, 4), 100);
  // What came in the first three seconds of the fuller replica slows down those that end later.
  EXPECT_DOUBLE_EQ(times_at(table, 40), 70);
}

// What is slow for all replicas at once is told by its first whole second, and begins within one.
TEST(IntervalMeter, TheSecondsThatBeginAStallAreNotLearnedFrom) {
  Replica replica;
  replica.pass(179, 10, 100, 100ms);
  replica.pass(1, 14, 70, 400ms);
  replica.pass(3, 40, 30, 1s);
  const LevelTable table = replica.table();
  EXPECT_EQ(table.find(level_of(40)), nullptr);
  EXPECT_EQ(table.find(level_of(14)), nullptr);
  EXPECT_DOUBLE_EQ(table.seconds(), 179);
}

}  // namespace
}  // namespace bellows::autoscaler::slow
