#include "activator/core/fill_limit.hpp"

#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kStart{std::chrono::hours(24)};

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

FillLimit eight_of_which_one_is_ready() {
  FillLimit fill;
  fill.update(with_target(10), 8, 1);
  return fill;
}

TEST(FillLimit, ARequestThatAFullReplicaServedAsFastAsUsualMakesRoomForTwiceAsMany) {
  FillLimit fill = eight_of_which_one_is_ready();
  respond(fill, 5, milliseconds(100));
  EXPECT_EQ(fill.slots(true, kStart), 20) << "it was not full";
  respond(fill, 20, milliseconds(110));
  EXPECT_EQ(fill.slots(true, kStart), 40);
  respond(fill, 40, milliseconds(110));
  respond(fill, 12, milliseconds(110));
  EXPECT_EQ(fill.slots(true, kStart), 80) << "the most counts";
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
  FillLimit fill = eight_of_which_one_is_ready();
  respond(fill, 10, milliseconds(100), 100);
  EXPECT_EQ(fill.slots(true, kStart), 20);
}

TEST(FillLimit, ReplicasThatSlowDownWhileTheyAreFullGetNoMore) {
  FillLimit fill = eight_of_which_one_is_ready();
  respond(fill, 5, milliseconds(100), 20);
  respond(fill, 20, milliseconds(1'100), 20);
  EXPECT_EQ(fill.slots(true, kStart), 20) << "the queue of the app was full: a second attempt";
  respond(fill, 20, milliseconds(100), 200);
  EXPECT_EQ(fill.slots(true, kStart), 40) << "it serves them now";
}

TEST(FillLimit, OneSlowRequestOfManySaysNothing) {
  FillLimit fill = eight_of_which_one_is_ready();
  respond(fill, 5, milliseconds(100), 20);
  respond(fill, 20, milliseconds(100), 20);
  respond(fill, 20, seconds(2));
  EXPECT_EQ(fill.slots(true, kStart), 40);
}

TEST(FillLimit, ThatTheLongRequestsOfABatchEndLastSaysNothing) {
  FillLimit fill = eight_of_which_one_is_ready();
  respond(fill, 5, seconds(1), 20);
  respond(fill, 300, milliseconds(500), 270);
  respond(fill, 300, seconds(5), 30);
  EXPECT_EQ(fill.slots(true, kStart), 600) << "300 took 0.95 s on average";
}

TEST(FillLimit, AReplicaThatFailsWhileItIsFullEndsThatForTenMinutes) {
  FillLimit fill = eight_of_which_one_is_ready();
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

/// Nobody said what a replica takes. Eight are asked for, one is ready.
FillLimit without_a_target() {
  FillLimit fill;
  fill.update({}, 8, 1);
  return fill;
}

TEST(FillLimit, WithoutATargetReplicasThatServeGetWhatComes) {
  FillLimit fill = without_a_target();
  EXPECT_EQ(fill.slots(true, kStart), 200) << "the first burst from zero";
  respond(fill, 30, seconds(25), 19);
  EXPECT_EQ(fill.slots(true, kStart), 200);
  respond(fill, 30, seconds(25));
  EXPECT_EQ(fill.slots(true, kStart), 0) << "a flash crowd waits for no start";
}

TEST(FillLimit, WithoutATargetThatEndsWhileFullReplicasAreSlow) {
  FillLimit fill = without_a_target();
  respond(fill, 30, milliseconds(100), 20);
  ASSERT_EQ(fill.slots(true, kStart), 0);
  respond(fill, 400, seconds(1), 20);
  EXPECT_EQ(fill.slots(true, kStart), 200);
  respond(fill, 150, milliseconds(100), 400);
  EXPECT_EQ(fill.slots(true, kStart), 0) << "they serve as fast as usual again";
}

TEST(FillLimit, WithoutATargetThatEndsForTenMinutesAfterAFailureAtAFullReplica) {
  FillLimit fill = without_a_target();
  respond(fill, 30, milliseconds(100), 20);
  fill.record(400, milliseconds(100), PodOutcome::kFailed, kStart);
  EXPECT_EQ(fill.slots(false, kStart), 200);
  EXPECT_EQ(fill.slots(false, kStart + std::chrono::minutes(10) - seconds(1)), 200);
  EXPECT_EQ(fill.slots(false, kStart + std::chrono::minutes(10)), 0);
}

TEST(FillLimit, AnotherTargetIsLearnedAnew) {
  FillLimit fill = eight_of_which_one_is_ready();
  respond(fill, 20, milliseconds(100));
  fill.update(with_target(10), 8, 2);
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
