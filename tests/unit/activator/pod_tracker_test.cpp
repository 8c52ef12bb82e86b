#include "activator/core/pod_tracker.hpp"

#include <gtest/gtest.h>

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimePoint kStart{std::chrono::hours(24)};

TimePoint at(milliseconds since_start) {
  return kStart + since_start;
}

ReplicaView web_1() {
  return {.name = PodName("web-1"), .address = {"127.0.0.1", 9001, ""}, .ready = kStart};
}

/// One whole request, when no other runs.
void serve(PodTracker& pod, PodOutcome outcome, TimePoint now) {
  const bool on_trial = pod.take(now);
  pod.give_back(outcome, on_trial, now);
}

TEST(PodTrackerSlots, AreNeverMoreThanItsConcurrency) {
  PodTracker pod(web_1(), 2);
  pod.take(kStart);
  EXPECT_TRUE(pod.can_take(kStart));
  pod.take(kStart);
  EXPECT_FALSE(pod.can_take(kStart));
  pod.give_back(PodOutcome::kAnswered, false, kStart);
  EXPECT_TRUE(pod.can_take(kStart));
}

TEST(PodTrackerSlots, AreWithoutLimitWhenConcurrencyIsZero) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 1000; ++i) pod.take(kStart);
  EXPECT_TRUE(pod.can_take(kStart));
  EXPECT_EQ(pod.in_flight(), 1000);
}

TEST(PodTrackerSlots, FollowALimitThatIsLoweredUnderRunningRequests) {
  PodTracker pod(web_1(), 3);
  for (int i = 0; i < 3; ++i) pod.take(kStart);
  pod.update(web_1(), 2);
  pod.give_back(PodOutcome::kAnswered, false, kStart);
  EXPECT_FALSE(pod.can_take(kStart)) << "two still run";
  pod.give_back(PodOutcome::kAnswered, false, kStart);
  EXPECT_TRUE(pod.can_take(kStart));
}

TEST(PodTrackerDeathTest, ASlotGivenBackTwiceIsADefect) {
  PodTracker pod(web_1(), 1);
  serve(pod, PodOutcome::kAnswered, kStart);
  EXPECT_DEATH(pod.give_back(PodOutcome::kAnswered, false, kStart), "given back once");
}

TEST(PodTrackerFailure, SetsItAsideFor100msThenOneRequestIsTheTrial) {
  PodTracker pod(web_1(), 10);
  const bool on_trial = pod.take(at(milliseconds(0)));
  EXPECT_FALSE(on_trial);
  EXPECT_TRUE(pod.give_back(PodOutcome::kFailed, on_trial, at(milliseconds(0))));
  EXPECT_EQ(pod.health(), PodHealth::kSetAside);
  EXPECT_EQ(pod.trial_at(), at(milliseconds(100)));
  EXPECT_FALSE(pod.can_take(at(milliseconds(99))));

  EXPECT_TRUE(pod.take(at(milliseconds(100)))) << "the trial";
  EXPECT_FALSE(pod.can_take(at(milliseconds(100)))) << "one at a time until it is known to be well";
  EXPECT_TRUE(pod.answered(true));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy)
      << "the response head is enough, the body may be long";
  EXPECT_TRUE(pod.can_take(at(milliseconds(101))));
}

TEST(PodTrackerFailure, DoublesTheTimeWithEachFailedTrialUpTo5s) {
  PodTracker pod(web_1(), 10);
  TimePoint now = kStart;
  serve(pod, PodOutcome::kFailed, now);
  for (const int expected_ms : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    EXPECT_EQ(*pod.trial_at() - now, milliseconds(expected_ms));
    now = *pod.trial_at();
    serve(pod, PodOutcome::kFailed, now);
  }
}

TEST(PodTrackerFailure, StartsFrom100msAgainAfterAGoodTrial) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, at(milliseconds(0)));
  serve(pod, PodOutcome::kFailed, at(milliseconds(100)));
  serve(pod, PodOutcome::kAnswered, at(milliseconds(300)));
  serve(pod, PodOutcome::kFailed, at(milliseconds(400)));
  EXPECT_EQ(pod.trial_at(), at(milliseconds(500)));
}

TEST(PodTrackerFailure, FiftyRequestsThatFailTogetherAreOneFailure) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 50; ++i) pod.take(kStart);
  int times_set_aside = 0;
  for (int i = 0; i < 50; ++i) {
    times_set_aside += pod.give_back(PodOutcome::kFailed, false, kStart) ? 1 : 0;
  }
  EXPECT_EQ(times_set_aside, 1);
  EXPECT_EQ(pod.trial_at(), at(milliseconds(100)));
}

TEST(PodTrackerTrial, ThatTaughtNothingIsFollowedByAnotherAtOnce) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, at(milliseconds(0)));
  serve(pod, PodOutcome::kUnknown, at(milliseconds(100)));
  EXPECT_EQ(pod.health(), PodHealth::kSetAside);
  EXPECT_TRUE(pod.can_take(at(milliseconds(100))));
}

TEST(PodTrackerTrial, IsNotDecidedByRequestsFromBefore) {
  PodTracker pod(web_1(), 10);
  pod.take(kStart);
  pod.take(kStart);
  pod.take(kStart);
  pod.give_back(PodOutcome::kFailed, false, kStart);
  ASSERT_TRUE(pod.take(at(milliseconds(100))));
  EXPECT_FALSE(pod.answered(false));
  pod.give_back(PodOutcome::kAnswered, false, at(milliseconds(101)));
  EXPECT_EQ(pod.health(), PodHealth::kOnTrial);
  pod.give_back(PodOutcome::kFailed, false, at(milliseconds(102)));
  EXPECT_EQ(pod.health(), PodHealth::kOnTrial);
  EXPECT_EQ(pod.in_flight(), 1);
}

TEST(PodTrackerReadyAnew, IsHealthyAtOnce) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, kStart);
  pod.update(web_1(), 10);
  EXPECT_EQ(pod.health(), PodHealth::kSetAside) << "the same readiness as before says nothing new";
  ReplicaView restarted = web_1();
  restarted.ready = at(seconds(1));
  pod.update(restarted, 10);
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
  EXPECT_TRUE(pod.can_take(at(milliseconds(1))));
}

TEST(PodTrackerReadyAnew, EndsATrialThatIsStillRunning) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, kStart);
  ASSERT_TRUE(pod.take(at(milliseconds(100))));
  pod.unlist();
  pod.update(web_1(), 10);
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
  EXPECT_TRUE(pod.give_back(PodOutcome::kFailed, true, at(milliseconds(110))));
  EXPECT_EQ(pod.trial_at(), at(milliseconds(210)));
}

TEST(PodTrackerUnlisted, TakesNothingMoreAndFinishesWhatRuns) {
  PodTracker pod(web_1(), 10);
  pod.take(kStart);
  pod.unlist();
  EXPECT_FALSE(pod.can_take(kStart));
  EXPECT_EQ(pod.trial_at(), std::nullopt);
  pod.give_back(PodOutcome::kAnswered, false, kStart);
  EXPECT_EQ(pod.in_flight(), 0);
}

TEST(PodHealthName, IsAWord) {
  EXPECT_EQ(to_string(PodHealth::kHealthy), "healthy");
  EXPECT_EQ(to_string(PodHealth::kSetAside), "set-aside");
  EXPECT_EQ(to_string(PodHealth::kOnTrial), "on-trial");
}

}  // namespace
}  // namespace bellows::activator
