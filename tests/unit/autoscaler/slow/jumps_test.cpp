// Loads that jump, as diaries: when they are found, and when room for the next one is kept.
#include "autoscaler/slow/jumps.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "autoscaler/slow/slow_brain.hpp"

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

/// A revision, second by second: ten times as many arrivals a second as requests in flight.
class PlayedSeconds {
 public:
  void pass(int count, double in_flight, int missed = 0) {
    for (int i = 0; i < count; ++i) {
      now += 1s;
      const auto told = watch.add(now, 10 * in_flight, in_flight, i < missed, false);
      otherwise += told.otherwise;
      by_jumps += told.by_jumps;
    }
  }
  JumpWatch watch;
  TimePoint now{1h};
  double otherwise = 0;
  double by_jumps = 0;
};

TEST(JumpWatch, ALoadThatIsSuddenlySeveralTimesAsMuchAndStaysIsAJump) {
  PlayedSeconds seconds;
  seconds.pass(300, 4, 2);
  EXPECT_DOUBLE_EQ(seconds.otherwise, 2);
  seconds.pass(25, 60, 8);  // what piled up until replicas were ready
  seconds.pass(34, 40);
  EXPECT_TRUE(seconds.watch.take().empty());
  seconds.pass(1, 40);
  EXPECT_DOUBLE_EQ(seconds.by_jumps, 8);
  EXPECT_DOUBLE_EQ(seconds.otherwise, 2);
  const std::vector<Jump> jumps = seconds.watch.take();
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_EQ(jumps[0].at, TimePoint(1h + 301s));
  EXPECT_NEAR(jumps[0].load, 40, 1);
  EXPECT_DOUBLE_EQ(jumps[0].missed, 8);
  seconds.pass(300, 40);
  EXPECT_TRUE(seconds.watch.take().empty());
}

TEST(JumpWatch, WhatPiledUpWhileReplicasWereKilledDoesNotHideAJump) {
  PlayedSeconds seconds;
  seconds.pass(300, 4);
  seconds.pass(3, 200);
  seconds.pass(57, 40);
  ASSERT_EQ(seconds.watch.take().size(), 1U);
  seconds.pass(200, 40);
  seconds.pass(300, 4);
  seconds.pass(70, 40);
  EXPECT_EQ(seconds.watch.take().size(), 1U);
}

TEST(JumpWatch, ABurstThatEndsIsOneAndItsLoadIsThatOfItsArrivals) {
  PlayedSeconds seconds;
  seconds.pass(300, 4);
  seconds.pass(17, 40, 8);
  seconds.pass(60, 4);
  const std::vector<Jump> jumps = seconds.watch.take();
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_NEAR(jumps[0].load, 40, 1);
  EXPECT_DOUBLE_EQ(seconds.by_jumps, 8);
  EXPECT_DOUBLE_EQ(seconds.otherwise, 0);
}

TEST(JumpWatch, ASingleSecondOfManyRequestsIsNoJump) {
  PlayedSeconds seconds;
  seconds.pass(300, 4);
  seconds.pass(1, 40, 1);
  seconds.pass(60, 4);
  EXPECT_TRUE(seconds.watch.take().empty());
  EXPECT_DOUBLE_EQ(seconds.otherwise, 1);
  EXPECT_DOUBLE_EQ(seconds.by_jumps, 0);
}

TEST(JumpWatch, SecondsOfWaitingCallersCountForTheJump) {
  PlayedSeconds seconds;
  seconds.pass(300, 4);
  for (int i = 0; i < 60; ++i) {
    const auto told = seconds.watch.add(seconds.now += 1s, 400, 40, i == 2, i < 6);
    seconds.by_jumps += told.by_jumps;
  }
  const std::vector<Jump> jumps = seconds.watch.take();
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_DOUBLE_EQ(jumps[0].missed, 6);
  EXPECT_DOUBLE_EQ(seconds.by_jumps, 1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_DOUBLE_EQ(seconds.watch.add(seconds.now += 1s, 400, 40, false, true).otherwise, 0);
  }
}

TEST(JumpWatch, ASlowRiseAFewRequestsAndAScaleFromZeroAreNone) {
  PlayedSeconds rise;
  rise.pass(300, 4);
  for (int step = 0; step < 36; ++step) rise.pass(5, 4 + step);
  rise.pass(100, 40);
  EXPECT_TRUE(rise.watch.take().empty());
  PlayedSeconds few;
  few.pass(300, 0.1);
  few.pass(100, 0.9);
  EXPECT_TRUE(few.watch.take().empty());
  PlayedSeconds from_zero;
  from_zero.pass(900, 0);
  from_zero.pass(100, 40);
  EXPECT_TRUE(from_zero.watch.take().empty());
}

/// A record of jumps `apart`, each of which misses the goal in so many seconds.
struct Hours {
  void pass(int jumps, Duration apart, double missed, double load = 40) {
    for (int i = 0; i < jumps; ++i) {
      now += apart;
      record_jumps(record, {Jump{.at = now - 1min, .load = load, .missed = missed}}, now);
    }
  }
  void quiet(Duration length) { record_jumps(record, {}, now += length); }

  JumpRecord record;
  TimePoint now{10h};
};

TEST(JumpRecord, JumpsThatMissTheGoalTooOftenAreMetWithRoomThatIsKept) {
  Hours hours;
  hours.quiet(1s);
  hours.pass(1, 10min, 30);
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 1), 0);
  hours.pass(1, 10min, 30, 50);
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 1), 50);
  hours.pass(2, 10min, 0);  // they miss nothing any more
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 1), 40);
  hours.quiet(2h + 50min);
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 1), 40);
  hours.quiet(10min);
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 1), 0);
}

TEST(JumpRecord, RareOrHarmlessJumpsKeepNothing) {
  Hours rare;
  rare.quiet(1s);
  rare.pass(6, 59min, 11);
  EXPECT_DOUBLE_EQ(kept_load(rare.record, 1), 0);
  Hours harmless;
  harmless.quiet(1s);
  harmless.pass(12, 10min, 3);
  EXPECT_DOUBLE_EQ(kept_load(harmless.record, 1), 0);
}

TEST(JumpRecord, ARevisionWithAPartOfTheRequestsKeepsRoomForThatPartOfAJump) {
  Hours hours;
  hours.quiet(1s);
  hours.pass(2, 10min, 30);
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 0.05), 2);
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 0.25), 10);
  EXPECT_DOUBLE_EQ(kept_load(hours.record, 0), 0);
}

TEST(WithTarget, RoomThatIsKeptIsAMinScaleWithinTheBounds) {
  config::RevisionSettings settings;
  settings.container_concurrency = 0;
  settings.max_scale = 0;
  Advice advice;
  advice.target = 10;
  EXPECT_EQ(with_target(settings, advice).min_scale, settings.min_scale);
  advice.kept_load = 40;
  const PodCount kept = with_target(settings, advice).min_scale;
  EXPECT_GE(kept, 5);
  EXPECT_LE(kept, 6);
  settings.max_scale = 3;
  EXPECT_EQ(with_target(settings, advice).min_scale, 3);
  settings.max_scale = 20;
  EXPECT_EQ(with_target(settings, advice).min_scale_from, config::MinScaleFrom::kSlowBrain);
  settings.min_scale = 12;
  EXPECT_EQ(with_target(settings, advice).min_scale, 12);
  EXPECT_EQ(with_target(settings, advice).min_scale_from, config::MinScaleFrom::kSetting);
}

}  // namespace
}  // namespace bellows::autoscaler::slow
