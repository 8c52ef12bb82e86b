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
  pod.give_back(outcome, pod.take(now), now);
}

TEST(PodTrackerSlots, AreNeverMoreThanItsConcurrency) {
  PodTracker pod(web_1(), 2);
  pod.take(kStart);
  EXPECT_TRUE(pod.can_take(kStart));
  pod.take(kStart);
  EXPECT_FALSE(pod.can_take(kStart));
  pod.give_back(PodOutcome::kAnswered, 0, kStart);
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
  pod.give_back(PodOutcome::kAnswered, 0, kStart);
  EXPECT_FALSE(pod.can_take(kStart)) << "two still run";
  pod.give_back(PodOutcome::kAnswered, 0, kStart);
  EXPECT_TRUE(pod.can_take(kStart));
}

TEST(PodTrackerDeathTest, ASlotGivenBackTwiceIsADefect) {
  PodTracker pod(web_1(), 1);
  serve(pod, PodOutcome::kAnswered, kStart);
  EXPECT_DEATH(pod.give_back(PodOutcome::kAnswered, 0, kStart), "given back once");
}

/// The probe that is due, answered or not.
bool probe(PodTracker& pod, bool has_answered, TimePoint now) {
  pod.probe_begins();
  return pod.probe_ended(has_answered, now);
}

TEST(PodTrackerFailure, SetsItAsideUntilAProbeAfter100msHasAnswered) {
  PodTracker pod(web_1(), 10);
  EXPECT_TRUE(pod.give_back(PodOutcome::kFailed, pod.take(kStart), kStart));
  EXPECT_EQ(pod.health(), PodHealth::kSetAside);
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(100)));
  EXPECT_FALSE(pod.can_take(at(seconds(1)))) << "time alone does not bring it back";

  pod.probe_begins();
  EXPECT_EQ(pod.probe_at(false), std::nullopt) << "one probe at a time";
  EXPECT_FALSE(pod.can_take(at(milliseconds(101))));
  EXPECT_TRUE(pod.probe_ended(true, at(milliseconds(102))));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
  EXPECT_TRUE(pod.can_take(at(milliseconds(102))));
}

TEST(PodTrackerFailure, DoublesTheTimeWithEachFailedProbeUpTo5s) {
  PodTracker pod(web_1(), 10);
  TimePoint now = kStart;
  serve(pod, PodOutcome::kFailed, now);
  for (const int expected_ms : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    EXPECT_EQ(*pod.probe_at(false) - now, milliseconds(expected_ms));
    now = *pod.probe_at(false);
    EXPECT_FALSE(probe(pod, false, now));
  }
}

TEST(PodTrackerFailure, GrowsTooWhenProbesAreAnsweredAndRequestsAreNot) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, at(milliseconds(0)));
  probe(pod, true, at(milliseconds(100)));
  serve(pod, PodOutcome::kFailed, at(milliseconds(101)));
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(301)));
}

TEST(PodTrackerFailure, StartsFrom100msAgainAfterAnAnsweredRequest) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, at(milliseconds(0)));
  probe(pod, true, at(milliseconds(100)));
  pod.answered();
  serve(pod, PodOutcome::kFailed, at(milliseconds(400)));
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(500)));
}

TEST(PodTrackerFailure, IsProbedEach100msWhileNobodyElseIsThere) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, kStart);
  probe(pod, false, at(milliseconds(100)));
  probe(pod, false, at(milliseconds(300)));
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(700)));
  EXPECT_EQ(pod.probe_at(true), at(milliseconds(400)));
}

TEST(PodTrackerFailure, FiftyRequestsThatFailTogetherAreOneFailure) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 50; ++i) pod.take(kStart);
  int times_set_aside = 0;
  for (int i = 0; i < 50; ++i) {
    times_set_aside += pod.give_back(PodOutcome::kFailed, 0, kStart) ? 1 : 0;
  }
  EXPECT_EQ(times_set_aside, 1);
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(100)));
}

TEST(PodTrackerFailure, OfARequestFromBeforeItWasSetAsideIsNoNewsOnceItIsBack) {
  PodTracker pod(web_1(), 10);
  const std::uint32_t early = pod.take(kStart);
  serve(pod, PodOutcome::kFailed, kStart);
  probe(pod, true, at(milliseconds(100)));
  EXPECT_FALSE(pod.give_back(PodOutcome::kFailed, early, at(milliseconds(150))));
  EXPECT_TRUE(pod.can_take(at(milliseconds(150))));
}

TEST(PodTrackerSilence, IsOnlyRememberedTheFirstTimeAndThenSetsItAsideForGrowingTime) {
  PodTracker pod(web_1(), 10);
  EXPECT_FALSE(pod.give_back(PodOutcome::kSilent, pod.take(kStart), kStart));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
  TimePoint now = kStart;
  for (const int expected_ms : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    EXPECT_TRUE(pod.give_back(PodOutcome::kSilent, pod.take(now), now));
    EXPECT_EQ(*pod.probe_at(false) - now, milliseconds(expected_ms));
    now = *pod.probe_at(false);
    EXPECT_TRUE(probe(pod, true, now)) << "its queue-proxy answers, its app does not";
  }
}

TEST(PodTrackerSilence, IsForgivenWithTheNextAnsweredRequest) {
  PodTracker pod(web_1(), 10);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(pod.give_back(PodOutcome::kSilent, pod.take(kStart), kStart))
        << "one caller's request that its app drops, again";
    pod.answered();
    serve(pod, PodOutcome::kAnswered, kStart);
  }
}

TEST(PodTrackerSilence, OfFiftyRequestsTogetherSetsItAsideOnce) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 50; ++i) pod.take(kStart);
  int times_set_aside = 0;
  for (int i = 0; i < 50; ++i) {
    times_set_aside += pod.give_back(PodOutcome::kSilent, 0, kStart) ? 1 : 0;
  }
  EXPECT_EQ(times_set_aside, 1);
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(100)));
}

TEST(PodTrackerSilence, IsProbedAtOnceWhileNobodyElseIsThere) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kSilent, kStart);
  for (int i = 0; i < 5; ++i) {
    serve(pod, PodOutcome::kSilent, kStart);
    EXPECT_EQ(pod.probe_at(true), kStart);
    probe(pod, true, kStart);
  }
  serve(pod, PodOutcome::kSilent, kStart);
  probe(pod, false, kStart);
  EXPECT_EQ(pod.probe_at(true), at(milliseconds(100))) << "now it has failed";
}

TEST(PodTrackerUnknown, OutcomeLeavesItTrusted) {
  PodTracker pod(web_1(), 10);
  EXPECT_FALSE(pod.give_back(PodOutcome::kUnknown, pod.take(kStart), kStart));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
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

TEST(PodTrackerReadyAnew, MakesTheProbeThatIsStillOnItsWaySayNothing) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, kStart);
  pod.probe_begins();
  pod.unlist();
  pod.update(web_1(), 10);
  EXPECT_FALSE(pod.probe_ended(false, at(milliseconds(110))));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
}

TEST(PodTrackerLoad, CountsWhatOthersRunThere) {
  PodTracker pod(web_1(), 10);
  pod.take(kStart);
  pod.take(kStart);
  pod.told(7, kStart);
  EXPECT_EQ(pod.load(kStart), 7);
  pod.give_back(PodOutcome::kAnswered, 0, kStart);
  EXPECT_EQ(pod.load(kStart), 6);
}

TEST(PodTrackerLoad, OfOthersFillsSlots) {
  PodTracker pod(web_1(), 3);
  pod.take(kStart);
  pod.told(3, kStart);
  EXPECT_FALSE(pod.can_take(kStart));
}

TEST(PodTrackerLoad, OfOthersCountsHalfAfterEach200msAndThenIsForgotten) {
  PodTracker pod(web_1(), 0);
  pod.told(8, kStart);
  EXPECT_EQ(pod.word_fades_at(kStart), at(milliseconds(200)));
  EXPECT_EQ(pod.load(at(milliseconds(199))), 8);
  EXPECT_EQ(pod.load(at(milliseconds(200))), 4);
  EXPECT_EQ(pod.word_fades_at(at(milliseconds(250))), at(milliseconds(400)));
  EXPECT_EQ(pod.load(at(milliseconds(400))), 2);
  EXPECT_EQ(pod.load(at(milliseconds(800))), 0);
  EXPECT_EQ(pod.word_fades_at(at(milliseconds(800))), std::nullopt);
  EXPECT_EQ(pod.load(at(seconds(3600))), 0);
}

TEST(PodTrackerLoad, ToldByAnAnswerThatWasOvertakenIsNotTakenForOthers) {
  PodTracker pod(web_1(), 2);
  pod.take(at(milliseconds(0)));
  pod.take(at(milliseconds(0)));
  // Both ran when the first answer was written; the second one's came here sooner.
  pod.give_back(PodOutcome::kAnswered, 0, at(milliseconds(1)));
  pod.told(2, at(milliseconds(1)));
  EXPECT_TRUE(pod.can_take(at(milliseconds(1))));
}

TEST(PodTrackerLoad, OfOthersIsNotTakenForOurOwnOfLongAgo) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 5; ++i) pod.take(at(seconds(0)));
  for (int i = 0; i < 5; ++i) pod.give_back(PodOutcome::kAnswered, 0, at(seconds(1)));
  pod.take(at(seconds(10)));
  pod.told(4, at(milliseconds(10'005)));
  EXPECT_EQ(pod.load(at(milliseconds(10'005))), 4) << "three of others, one of our own";
}

TEST(PodTrackerLoad, OfLongRequestsThatEndTogetherIsNotTakenForOthers) {
  PodTracker pod(web_1(), 5);
  for (int i = 0; i < 5; ++i) pod.take(at(seconds(0)));
  for (int i = 0; i < 4; ++i) pod.give_back(PodOutcome::kAnswered, 0, at(seconds(1)));
  pod.told(5, at(milliseconds(1'001)));
  EXPECT_EQ(pod.load(at(milliseconds(1'001))), 1) << "told when all five still ran";
}

TEST(PodTrackerLoad, OfOthersIsForgottenWithTheReplicaSetAside) {
  PodTracker pod(web_1(), 0);
  pod.told(8, kStart);
  serve(pod, PodOutcome::kFailed, kStart);
  EXPECT_EQ(pod.load(kStart), 0);
}

TEST(PodTrackerSlice, OfAnotherActivatorTakesNothingAndIsNotProbed) {
  PodTracker pod(web_1(), 10);
  pod.assign(false);
  EXPECT_FALSE(pod.can_take(kStart));
  EXPECT_FALSE(pod.is_set_aside());
  pod.assign(true);
  EXPECT_TRUE(pod.can_take(kStart));
}

TEST(PodTrackerUnlisted, TakesNothingMoreAndFinishesWhatRuns) {
  PodTracker pod(web_1(), 10);
  pod.take(kStart);
  pod.unlist();
  EXPECT_FALSE(pod.can_take(kStart));
  EXPECT_EQ(pod.probe_at(true), std::nullopt);
  pod.give_back(PodOutcome::kAnswered, 0, kStart);
  EXPECT_EQ(pod.in_flight(), 0);
}

TEST(PodHealthName, IsAWord) {
  EXPECT_EQ(to_string(PodHealth::kHealthy), "healthy");
  EXPECT_EQ(to_string(PodHealth::kSetAside), "set-aside");
  EXPECT_EQ(to_string(PodHealth::kProbed), "probed");
}

}  // namespace
}  // namespace bellows::activator
