#include "activator/core/fill_limit.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kStart;

config::RevisionSettings with_target(double target) {
  config::RevisionSettings settings;
  settings.target = target;
  return settings;
}

TEST(FillLimit, IsTwiceTheTargetWhileReplicasStart) {
  FillLimit fill;
  fill.update(with_target(10), 8, 1);
  EXPECT_EQ(fill.slots(false, kStart), 20);
  EXPECT_EQ(fill.slots(true, kStart), 20);
  EXPECT_EQ(fill.slots(true, kStart + milliseconds(9'999)), 20);
}

TEST(FillLimit, HoldsUntilTheAutoscalerHadTimeToOrderMore) {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  ASSERT_EQ(fill.slots(true, kStart), 20);
  EXPECT_EQ(fill.next_change(), kStart + seconds(3));
  fill.update(with_target(10), 8, 1);
  EXPECT_EQ(fill.slots(true, kStart + seconds(3)), 20) << "it has ordered";
  EXPECT_EQ(fill.next_change(), kStart + seconds(10));
}

TEST(FillLimit, IsLiftedForAMinuteAfterAVainWait) {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  ASSERT_EQ(fill.slots(true, kStart), 20);
  EXPECT_EQ(fill.slots(true, kStart + seconds(3)), 0);
  EXPECT_EQ(fill.slots(true, kStart + seconds(62)), 0);
  EXPECT_EQ(fill.slots(true, kStart + seconds(63)), 20);
}

TEST(FillLimit, AQueueThatEmptiesStartsAnew) {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  ASSERT_EQ(fill.slots(true, kStart), 20);
  ASSERT_EQ(fill.slots(false, kStart + seconds(2)), 20);
  EXPECT_EQ(fill.next_change(), std::nullopt);
  EXPECT_EQ(fill.slots(true, kStart + seconds(4)), 20);
}

TEST(FillLimit, ThereIsNoneAtMaxScaleWithAllReplicasReady) {
  FillLimit fill;
  config::RevisionSettings settings = with_target(10);
  settings.max_scale = 4;
  fill.update(settings, 4, 4);
  EXPECT_EQ(fill.slots(true, kStart), 0);
  fill.update(settings, 4, 3);
  EXPECT_EQ(fill.slots(true, kStart), 20) << "the fourth starts";
}

TEST(FillLimit, AHardLimitEndsTheWait) {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  ASSERT_EQ(fill.slots(true, kStart), 20);
  config::RevisionSettings settings = with_target(10);
  settings.container_concurrency = 2;
  fill.update(settings, 1, 1);
  EXPECT_EQ(fill.next_change(), std::nullopt) << "nothing would ever be done then";
}

TEST(FillLimit, ThereIsNoneWithALimitOfItsOwnOrKnativesRules) {
  FillLimit fill;
  config::RevisionSettings settings = with_target(10);
  settings.container_concurrency = 50;
  fill.update(settings, 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 0);
  settings = with_target(10);
  settings.profile = config::Profile::kKnative;
  fill.update(settings, 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 0);
  settings = with_target(10);
  settings.load_balancing = config::LoadBalancing::kRandomChoice2;
  fill.update(settings, 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 0);
}

/// `count` requests that came to a replica with `load`.
void respond(FillLimit& fill, std::int32_t load, Duration took, int count = 1) {
  for (int i = 0; i < count; ++i) {
    fill.record(load, took, PodOutcome::kResponded, kStart);
  }
}

/// Of a target of 10 each. No other one starts.
FillLimit one_replica() {
  FillLimit fill;
  fill.update(with_target(10), 1, 1);
  return fill;
}

TEST(FillLimit, AnUndelayedRequestOfAFullReplicaDoublesTheLimit) {
  FillLimit fill = one_replica();
  respond(fill, 5, milliseconds(100));
  EXPECT_EQ(fill.slots(false, kStart), 20) << "it was not full";
  respond(fill, 20, milliseconds(110));
  EXPECT_EQ(fill.slots(false, kStart), 40);
  respond(fill, 40, milliseconds(110));
  respond(fill, 12, milliseconds(110));
  EXPECT_EQ(fill.slots(false, kStart), 80) << "the most counts";
}

TEST(FillLimit, OfALearnedTargetIsTwiceThatWhateverElseWasServed) {
  FillLimit fill;
  fill.update(with_target(100), 8, 1, 6.4);
  EXPECT_EQ(fill.slots(true, kStart), 13);
  respond(fill, 5, milliseconds(100));
  respond(fill, 13, milliseconds(100));
  EXPECT_EQ(fill.slots(true, kStart), 13) << "more may be beyond its memory";
  EXPECT_EQ(fill.slots(true, kStart + seconds(10)), 0) << "a vain wait lifts it as any other";
  fill.update(with_target(100), 8, 1);
  EXPECT_EQ(fill.slots(false, kStart + seconds(70)), 200) << "slow-brain is not auto any more";
}

/// All are there after a jump, and the queue of the seconds before comes at once.
TEST(FillLimit, OfALearnedTargetStaysAtMaxScale) {
  FillLimit fill;
  config::RevisionSettings settings = with_target(10);
  settings.max_scale = 4;
  fill.update(settings, 4, 4, 5.0);
  EXPECT_EQ(fill.slots(true, kStart), 10);
  EXPECT_EQ(fill.slots(true, kStart + seconds(60)), 10)
      << "no replica comes that the wait could be for";
  fill.update(settings, 4, 4);
  EXPECT_EQ(fill.slots(true, kStart + seconds(60)), 0);
}

TEST(FillLimit, AReplicaThatServesItsTargetOnlyGetsNoMoreThanTwiceThat) {
  FillLimit fill = one_replica();
  respond(fill, 10, milliseconds(100), 100);
  EXPECT_EQ(fill.slots(true, kStart), 20);
}

TEST(FillLimit, ReplicasThatSlowDownWhileTheyAreFullGetNoMore) {
  FillLimit fill = one_replica();
  respond(fill, 5, milliseconds(100), 20);
  respond(fill, 20, milliseconds(1'100), 20);
  EXPECT_EQ(fill.slots(false, kStart), 20) << "the queue of the app was full: a second attempt";
  respond(fill, 20, milliseconds(100), 200);
  EXPECT_EQ(fill.slots(false, kStart), 40) << "it serves them now";
}

TEST(FillLimit, OneSlowRequestOfManySaysNothing) {
  FillLimit fill = one_replica();
  respond(fill, 5, milliseconds(100), 20);
  respond(fill, 20, milliseconds(100), 20);
  respond(fill, 20, seconds(2));
  EXPECT_EQ(fill.slots(true, kStart), 40);
}

TEST(FillLimit, ThatTheLongRequestsOfABatchEndLastSaysNothing) {
  FillLimit fill = one_replica();
  respond(fill, 5, seconds(1), 20);
  respond(fill, 300, milliseconds(500), 270);
  respond(fill, 300, seconds(5), 30);
  EXPECT_EQ(fill.slots(true, kStart), 600) << "300 took 0.95 s on average";
}

TEST(FillLimit, AReplicaThatFailsWhileItIsFullEndsThatForTenMinutes) {
  FillLimit fill = one_replica();
  respond(fill, 20, milliseconds(100));
  fill.record(3, milliseconds(1), PodOutcome::kFailed, kStart);
  EXPECT_EQ(fill.slots(false, kStart), 40) << "it was not full";
  fill.record(40, milliseconds(1), PodOutcome::kFailed, kStart);
  EXPECT_EQ(fill.slots(false, kStart), 20);
  respond(fill, 20, milliseconds(100));
  EXPECT_EQ(fill.slots(false, kStart), 20);
  fill.record(20, milliseconds(100), PodOutcome::kResponded, kStart + std::chrono::minutes(10));
  EXPECT_EQ(fill.slots(false, kStart), 40);
}

/// At zero: the first replica is ready and answers what it accepted, while other requests hang in
/// its backlog and the rest waits.
TEST(FillLimit, WhatIsAnsweredDuringABurstCountsAfterIt) {
  FillLimit fill;
  fill.update(with_target(10), 1, 0);
  ASSERT_EQ(fill.slots(false, kStart), 20);
  fill.update(with_target(10), 1, 1);
  respond(fill, 20, milliseconds(2), 40);
  EXPECT_EQ(fill.slots(true, kStart + milliseconds(100)), 20) << "the rest waits";
  fill.update(with_target(10), 8, 1);
  EXPECT_EQ(fill.slots(true, kStart + seconds(1)), 20) << "seven start";
  fill.update(with_target(10), 8, 8);
  EXPECT_EQ(fill.slots(false, kStart + seconds(2)), 20) << "all are there";
  EXPECT_EQ(fill.slots(true, kStart + milliseconds(2'500)), 20) << "the burst goes on";
  EXPECT_EQ(fill.slots(false, kStart + milliseconds(2'900)), 20);
  EXPECT_EQ(fill.slots(true, kStart + milliseconds(4'400)), 40) << "the next one";
}

TEST(FillLimit, WhatWasServedBeforeABurstCountsDuringIt) {
  FillLimit fill = one_replica();
  respond(fill, 20, milliseconds(100));
  ASSERT_EQ(fill.slots(false, kStart), 40);
  fill.update(with_target(10), 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 40);
  respond(fill, 40, milliseconds(100));
  EXPECT_EQ(fill.slots(true, kStart), 40);
  fill.record(40, milliseconds(1), PodOutcome::kFailed, kStart);
  EXPECT_EQ(fill.slots(true, kStart), 20) << "a failure counts at once";
}

TEST(FillLimit, AStartThatTakesLongKeepsNothingFromCounting) {
  FillLimit fill;
  fill.update(with_target(10), 8, 7);
  ASSERT_EQ(fill.slots(false, kStart), 20);
  respond(fill, 20, milliseconds(100));
  EXPECT_EQ(fill.slots(false, kStart + milliseconds(9'999)), 20);
  EXPECT_EQ(fill.slots(false, kStart + seconds(10)), 40) << "the eighth may never come";
}

/// Nobody said what a replica takes.
FillLimit without_a_target() {
  FillLimit fill;
  fill.update({}, 1, 1);
  return fill;
}

TEST(FillLimit, WithoutATargetReplicasThatServeGetWhatComes) {
  FillLimit fill = without_a_target();
  respond(fill, 30, seconds(25), 19);
  EXPECT_EQ(fill.slots(false, kStart), 200);
  respond(fill, 30, seconds(25));
  EXPECT_EQ(fill.slots(false, kStart), 0);
  fill.update({}, 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 0) << "a flash crowd waits for no start";
}

TEST(FillLimit, TheFirstReplicaGetsOnlyAPartOfItsBurst) {
  FillLimit fill;
  fill.update({}, 8, 1);
  ASSERT_EQ(fill.slots(true, kStart), 200);
  respond(fill, 100, milliseconds(2), 200);
  EXPECT_EQ(fill.slots(true, kStart), 200) << "seven start";
  fill.update({}, 8, 8);
  EXPECT_EQ(fill.slots(false, kStart + seconds(1)), 200);
  EXPECT_EQ(fill.slots(true, kStart + milliseconds(2'500)), 0) << "the next burst";
}

TEST(FillLimit, WithoutATargetThatEndsWhileFullReplicasAreSlow) {
  FillLimit fill = without_a_target();
  respond(fill, 30, milliseconds(100), 20);
  ASSERT_EQ(fill.slots(false, kStart), 0);
  respond(fill, 400, seconds(1), 20);
  EXPECT_EQ(fill.slots(false, kStart), 200);
  respond(fill, 150, milliseconds(100), 400);
  EXPECT_EQ(fill.slots(false, kStart), 0) << "they serve as fast as usual again";
}

TEST(FillLimit, AFailureOfAFullReplicaLimitsItForTenMinutes) {
  FillLimit fill = without_a_target();
  respond(fill, 30, milliseconds(100), 20);
  fill.record(400, milliseconds(100), PodOutcome::kFailed, kStart);
  EXPECT_EQ(fill.slots(false, kStart), 200);
  EXPECT_EQ(fill.slots(false, kStart + std::chrono::minutes(10) - seconds(1)), 200);
  EXPECT_EQ(fill.slots(false, kStart + std::chrono::minutes(10)), 0);
}

TEST(FillLimit, AnotherTargetIsLearnedAnew) {
  FillLimit fill = one_replica();
  respond(fill, 20, milliseconds(100));
  fill.update(with_target(10), 2, 2);
  EXPECT_EQ(fill.slots(false, kStart), 40);
  fill.update(with_target(2), 8, 2);
  EXPECT_EQ(fill.slots(false, kStart), 4);
}

TEST(FillLimit, ASmallTargetLetsOneRequestIn) {
  FillLimit fill;
  fill.update(with_target(0.01), 8, 1);
  EXPECT_EQ(fill.slots(true, kStart), 1);
}

}  // namespace
}  // namespace bellows::activator
