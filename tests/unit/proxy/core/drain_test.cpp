#include "proxy/core/drain.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::proxy {
namespace {

using namespace std::chrono_literals;
using test::kStart;

TEST(DrainWithRequestsInFlight, EndsAsSoonAsTheLastOneIsDone) {
  Drain drain({.timeout = 300s});
  EXPECT_EQ(drain.state(3, kStart), DrainState::kServing);
  drain.start(DrainCause::kSignal, kStart);
  EXPECT_EQ(drain.state(3, kStart + 1s), DrainState::kDraining);
  EXPECT_EQ(drain.state(0, kStart + 1s), DrainState::kDone);
}

TEST(DrainOfAnIdleReplica, TakesNoTimeAtAllWithoutAQuietTime) {
  Drain drain({.timeout = 300s});
  drain.start(DrainCause::kSignal, kStart);
  EXPECT_EQ(drain.state(0, kStart), DrainState::kDone);
}

TEST(DrainWithAStuckRequest, EndsAtTheTimeoutSinceTheFirstSignal) {
  Drain drain({.timeout = 10s});
  drain.start(DrainCause::kSignal, kStart);
  drain.start(DrainCause::kSignal, kStart + 9s);
  EXPECT_EQ(drain.state(1, kStart + 9s), DrainState::kDraining);
  EXPECT_EQ(drain.state(1, kStart + 10s), DrainState::kDone);
  EXPECT_EQ(drain.deadline(), kStart + 10s);
}

TEST(DrainWithATimeoutOfZero, WaitsForNothing) {
  Drain drain({.timeout = Duration::zero(), .quiet = 4s});
  EXPECT_EQ(drain.state(1, kStart), DrainState::kServing);
  drain.start(DrainCause::kSignal, kStart);
  EXPECT_EQ(drain.state(1, kStart), DrainState::kDone);
  EXPECT_EQ(drain.deadline(), kStart);
}

TEST(DrainWithAQuietTime, WaitsForItAlthoughNothingIsInFlight) {
  Drain drain({.timeout = 25s, .quiet = 4s});
  drain.start(DrainCause::kSignal, kStart);
  EXPECT_EQ(drain.state(0, kStart + 3999ms), DrainState::kDraining);
  EXPECT_EQ(drain.state(0, kStart + 4s), DrainState::kDone);
}

TEST(DrainWithAQuietTime, BeginsItAnewWithEachArrival) {
  Drain drain({.timeout = 25s, .quiet = 4s});
  drain.note_arrival(kStart - 1s);  // before the drain: says nothing about the nodes that follow
  drain.start(DrainCause::kSignal, kStart);
  drain.note_arrival(kStart + 3s);
  drain.note_arrival(kStart + 2s);  // learned later than the one above
  EXPECT_EQ(drain.state(0, kStart + 6999ms), DrainState::kDraining);
  EXPECT_EQ(drain.state(0, kStart + 7s), DrainState::kDone);
  drain.note_arrival(kStart + 8s);
  EXPECT_EQ(drain.state(0, kStart + 8s), DrainState::kDraining);
}

TEST(DrainWithAQuietTime, IsOverWithTheLastRequestIfThatTookLonger) {
  Drain drain({.timeout = 25s, .quiet = 4s});
  drain.start(DrainCause::kSignal, kStart);
  EXPECT_EQ(drain.state(1, kStart + 10s), DrainState::kDraining);
  EXPECT_EQ(drain.state(0, kStart + 10s), DrainState::kDone);
}

TEST(DrainUnderSteadyArrivals, EndsAtTheTimeoutAllTheSame) {
  Drain drain({.timeout = 6s, .quiet = 4s});
  drain.start(DrainCause::kSignal, kStart);
  for (TimePoint at = kStart; at < kStart + 6s; at += 100ms) {
    drain.note_arrival(at);
    ASSERT_EQ(drain.state(0, at), DrainState::kDraining);
  }
  EXPECT_EQ(drain.state(0, kStart + 6s), DrainState::kDone);
}

TEST(DrainByAHookOfTheApp, IsUndoneIfOnlyTheAppIsRestarted) {
  Drain drain({.timeout = 25s, .quiet = 4s});
  drain.start(DrainCause::kAppHook, kStart);
  EXPECT_FALSE(drain.is_refuted(0, kStart + 9s)) << "a signal may still come";
  EXPECT_FALSE(drain.is_refuted(1, kStart + 10s)) << "the hook has not been answered yet";
  EXPECT_TRUE(drain.is_refuted(0, kStart + 10s));
  drain.undo();
  EXPECT_EQ(drain.state(0, kStart + 10s), DrainState::kServing);
  EXPECT_EQ(drain.deadline(), std::nullopt);
  drain.start(DrainCause::kAppHook, kStart + 60s);
  EXPECT_EQ(drain.deadline(), kStart + 85s) << "the next one has the whole time";
}

TEST(DrainByAHookOfTheApp, IsNotUndoneOnceTheSignalHasCome) {
  Drain drain({.timeout = 25s, .quiet = 4s});
  drain.start(DrainCause::kAppHook, kStart);
  drain.start(DrainCause::kSignal, kStart + 1s);
  drain.start(DrainCause::kAppHook, kStart + 2s);  // another container's hook is less sure
  EXPECT_FALSE(drain.is_refuted(0, kStart + 1h));
  EXPECT_EQ(drain.deadline(), kStart + 25s) << "the time counts from the first of them";
}

// A native sidecar gets its signal after the app has ended, which may take the whole grace period.
TEST(DrainByAHookOfTheOwnContainer, WaitsForTheSignalLongerThanThePodMayLive) {
  Drain drain({.timeout = 25s, .quiet = 4s});
  drain.start(DrainCause::kAppHook, kStart);
  drain.start(DrainCause::kPodHook, kStart);
  EXPECT_FALSE(drain.is_refuted(0, kStart + 54s));
  EXPECT_TRUE(drain.is_refuted(0, kStart + 55s)) << "nothing ended this pod";
}

TEST(DrainBySignal, IsNeverUndone) {
  Drain drain({.timeout = 25s});
  EXPECT_FALSE(drain.is_refuted(0, kStart));
  drain.start(DrainCause::kSignal, kStart);
  EXPECT_FALSE(drain.is_refuted(0, kStart + 1h));
}

}  // namespace
}  // namespace bellows::proxy
