#include "activator/core/pod_tracker.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::kStart;

TimePoint at(milliseconds since_start) {
  return kStart + since_start;
}

ReplicaView web_1() {
  return {.name = PodName("web-1"), .address = {"127.0.0.1", 9001, ""}, .ready = kStart};
}

/// One whole request while no other one is in flight.
void serve(PodTracker& pod, PodOutcome outcome, TimePoint now) {
  pod.release(outcome, pod.acquire(now), now);
}

TEST(PodTrackerSlots, AreLimitedByContainerConcurrency) {
  PodTracker pod(web_1(), 2);
  pod.acquire(kStart);
  EXPECT_TRUE(pod.can_take(kStart));
  pod.acquire(kStart);
  EXPECT_FALSE(pod.can_take(kStart));
  pod.release(PodOutcome::kResponded, 0, kStart);
  EXPECT_TRUE(pod.can_take(kStart));
}

TEST(PodTrackerSlots, AreUnlimitedIfContainerConcurrencyIsZero) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 1000; ++i) pod.acquire(kStart);
  EXPECT_TRUE(pod.can_take(kStart));
  EXPECT_EQ(pod.in_flight(), 1000);
}

TEST(PodTrackerSlots, FollowALimitThatIsLoweredWhileRequestsAreInFlight) {
  PodTracker pod(web_1(), 3);
  for (int i = 0; i < 3; ++i) pod.acquire(kStart);
  pod.update(web_1(), 2);
  pod.release(PodOutcome::kResponded, 0, kStart);
  EXPECT_FALSE(pod.can_take(kStart)) << "two are still in flight";
  pod.release(PodOutcome::kResponded, 0, kStart);
  EXPECT_TRUE(pod.can_take(kStart));
}

TEST(PodTrackerGranted, StaysAsItWasWhileARequestIsInFlight) {
  PodTracker pod(web_1(), 2);
  pod.acquire(kStart);
  const GrantedReplica& before = pod.granted();
  ReplicaView moved = web_1();
  moved.address.port = 9002;
  pod.update(moved, 2);
  EXPECT_EQ(before.view, web_1());
  EXPECT_EQ(before.title, "replica web-1");
  EXPECT_EQ(pod.granted().view, moved);
  pod.release(PodOutcome::kResponded, 0, kStart);
  EXPECT_EQ(pod.address(), moved.address);
}

TEST(PodTrackerExpectedReport, IsOfAsManyRequestsAsAreInFlightHere) {
  PodTracker pod(web_1(), 10);
  pod.acquire(kStart);
  pod.acquire(kStart);
  EXPECT_EQ(pod.expected_report(true), 2);
}

TEST(PodTrackerExpectedReport, IsNoneAfterOneOfOtherCallersRequests) {
  PodTracker pod(web_1(), 10);
  pod.acquire(kStart);
  pod.record_reported_load(4, kStart);
  pod.acquire(kStart);
  EXPECT_EQ(pod.expected_report(true), -1) << "the next may say that they have ended";
  pod.record_reported_load(2, kStart);
  EXPECT_EQ(pod.expected_report(true), 2);
}

TEST(PodTrackerExpectedReport, IsNoneAfterAFailureUntilAResponse) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kUnresponsive, kStart);
  pod.acquire(kStart);
  EXPECT_EQ(pod.expected_report(false), -1);
  pod.record_response();
  EXPECT_GT(pod.expected_report(false), 1'000'000) << "no report counts with this policy";
}

TEST(PodTrackerDeathTest, ASlotReleasedTwiceIsADefect) {
  PodTracker pod(web_1(), 1);
  serve(pod, PodOutcome::kResponded, kStart);
  EXPECT_DEATH(pod.release(PodOutcome::kResponded, 0, kStart), "released once");
}

/// Runs the probe that is due, with this result.
bool probe(PodTracker& pod, bool has_answered, TimePoint now) {
  pod.begin_probe();
  return pod.end_probe(has_answered, now);
}

TEST(PodTrackerFailure, EjectsTheReplicaUntilAProbeAfter100msSucceeds) {
  PodTracker pod(web_1(), 10);
  EXPECT_TRUE(pod.release(PodOutcome::kFailed, pod.acquire(kStart), kStart));
  EXPECT_EQ(pod.health(), PodHealth::kEjected);
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(100)));
  EXPECT_FALSE(pod.can_take(at(seconds(1)))) << "time alone does not make it healthy";

  pod.begin_probe();
  EXPECT_EQ(pod.probe_at(false), std::nullopt) << "one probe at a time";
  EXPECT_FALSE(pod.can_take(at(milliseconds(101))));
  EXPECT_TRUE(pod.end_probe(true, at(milliseconds(102))));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
  EXPECT_TRUE(pod.can_take(at(milliseconds(102))));
}

TEST(PodTrackerFailure, DoublesTheEjectionTimeWithEachFailedProbeUpTo5s) {
  PodTracker pod(web_1(), 10);
  TimePoint now = kStart;
  serve(pod, PodOutcome::kFailed, now);
  for (const int expected_ms : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    EXPECT_EQ(*pod.probe_at(false) - now, milliseconds(expected_ms));
    now = *pod.probe_at(false);
    EXPECT_FALSE(probe(pod, false, now));
  }
}

TEST(PodTrackerFailure, DoublesTheEjectionTimeIfProbesSucceedButRequestsFail) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, at(milliseconds(0)));
  probe(pod, true, at(milliseconds(100)));
  serve(pod, PodOutcome::kFailed, at(milliseconds(101)));
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(301)));
}

TEST(PodTrackerFailure, EjectsFor100msAgainAfterARequestGotAResponse) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, at(milliseconds(0)));
  probe(pod, true, at(milliseconds(100)));
  pod.record_response();
  serve(pod, PodOutcome::kFailed, at(milliseconds(400)));
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(500)));
}

TEST(PodTrackerFailure, IsProbedEach100msWhileNoOtherReplicaIsHealthy) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, kStart);
  probe(pod, false, at(milliseconds(100)));
  probe(pod, false, at(milliseconds(300)));
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(700)));
  EXPECT_EQ(pod.probe_at(true), at(milliseconds(400)));
}

TEST(PodTrackerFailure, OfFiftyRequestsTogetherCountsOnce) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 50; ++i) pod.acquire(kStart);
  int times_set_aside = 0;
  for (int i = 0; i < 50; ++i) {
    times_set_aside += pod.release(PodOutcome::kFailed, 0, kStart) ? 1 : 0;
  }
  EXPECT_EQ(times_set_aside, 1);
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(100)));
}

TEST(PodTrackerFailure, OfARequestFromBeforeTheEjectionIsIgnoredAfterIt) {
  PodTracker pod(web_1(), 10);
  const std::uint32_t early = pod.acquire(kStart);
  serve(pod, PodOutcome::kFailed, kStart);
  probe(pod, true, at(milliseconds(100)));
  EXPECT_FALSE(pod.release(PodOutcome::kFailed, early, at(milliseconds(150))));
  EXPECT_TRUE(pod.can_take(at(milliseconds(150))));
}

TEST(PodTrackerUnresponsive, IsRememberedTheFirstTimeAndThenEjectsForAGrowingTime) {
  PodTracker pod(web_1(), 10);
  EXPECT_FALSE(pod.release(PodOutcome::kUnresponsive, pod.acquire(kStart), kStart));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
  TimePoint now = kStart;
  for (const int expected_ms : {100, 200, 400, 800, 1600, 3200, 5000, 5000}) {
    EXPECT_TRUE(pod.release(PodOutcome::kUnresponsive, pod.acquire(now), now));
    EXPECT_EQ(*pod.probe_at(false) - now, milliseconds(expected_ms));
    now = *pod.probe_at(false);
    EXPECT_TRUE(probe(pod, true, now)) << "its queue-proxy answers, its app does not";
  }
}

TEST(PodTrackerUnresponsive, IsForgottenWithTheNextResponse) {
  PodTracker pod(web_1(), 10);
  for (int i = 0; i < 20; ++i) {
    EXPECT_FALSE(pod.release(PodOutcome::kUnresponsive, pod.acquire(kStart), kStart))
        << "one caller's request that its app drops, again";
    pod.record_response();
    serve(pod, PodOutcome::kResponded, kStart);
  }
}

TEST(PodTrackerUnresponsive, ToFiftyRequestsTogetherEjectsOnce) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 50; ++i) pod.acquire(kStart);
  int times_set_aside = 0;
  for (int i = 0; i < 50; ++i) {
    times_set_aside += pod.release(PodOutcome::kUnresponsive, 0, kStart) ? 1 : 0;
  }
  EXPECT_EQ(times_set_aside, 1);
  EXPECT_EQ(pod.probe_at(false), at(milliseconds(100)));
}

TEST(PodTrackerUnresponsive, IsProbedAtOnceWhileNoOtherReplicaIsHealthy) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kUnresponsive, kStart);
  for (int i = 0; i < 5; ++i) {
    serve(pod, PodOutcome::kUnresponsive, kStart);
    EXPECT_EQ(pod.probe_at(true), kStart);
    probe(pod, true, kStart);
  }
  serve(pod, PodOutcome::kUnresponsive, kStart);
  probe(pod, false, kStart);
  EXPECT_EQ(pod.probe_at(true), at(milliseconds(100))) << "now it has failed";
}

TEST(PodTrackerUnknownOutcome, LeavesTheReplicaHealthy) {
  PodTracker pod(web_1(), 10);
  EXPECT_FALSE(pod.release(PodOutcome::kUnknown, pod.acquire(kStart), kStart));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
}

TEST(PodTrackerReadyAgain, IsHealthyAtOnce) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, kStart);
  pod.update(web_1(), 10);
  EXPECT_EQ(pod.health(), PodHealth::kEjected) << "an unchanged readiness does not make it healthy";
  ReplicaView restarted = web_1();
  restarted.ready = at(seconds(1));
  pod.update(restarted, 10);
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
  EXPECT_TRUE(pod.can_take(at(milliseconds(1))));
}

TEST(PodTrackerReadyAgain, IgnoresTheProbeThatIsStillInFlight) {
  PodTracker pod(web_1(), 10);
  serve(pod, PodOutcome::kFailed, kStart);
  pod.begin_probe();
  pod.unlist();
  pod.update(web_1(), 10);
  EXPECT_FALSE(pod.end_probe(false, at(milliseconds(110))));
  EXPECT_EQ(pod.health(), PodHealth::kHealthy);
}

TEST(PodTrackerLoad, CountsRequestsOfOtherCallers) {
  PodTracker pod(web_1(), 10);
  pod.acquire(kStart);
  pod.acquire(kStart);
  pod.record_reported_load(7, kStart);
  EXPECT_EQ(pod.load(kStart), 7);
  pod.release(PodOutcome::kResponded, 0, kStart);
  EXPECT_EQ(pod.load(kStart), 6);
}

TEST(PodTrackerLoad, OfOtherCallersOccupiesSlots) {
  PodTracker pod(web_1(), 3);
  pod.acquire(kStart);
  pod.record_reported_load(3, kStart);
  EXPECT_FALSE(pod.can_take(kStart));
}

TEST(PodTrackerLoad, OfOtherCallersHalvesEach200msDownToZero) {
  PodTracker pod(web_1(), 0);
  pod.record_reported_load(8, kStart);
  EXPECT_EQ(pod.report_decays_at(kStart), at(milliseconds(200)));
  EXPECT_EQ(pod.load(at(milliseconds(199))), 8);
  EXPECT_EQ(pod.load(at(milliseconds(200))), 4);
  EXPECT_EQ(pod.report_decays_at(at(milliseconds(250))), at(milliseconds(400)));
  EXPECT_EQ(pod.load(at(milliseconds(400))), 2);
  EXPECT_EQ(pod.load(at(milliseconds(800))), 0);
  EXPECT_EQ(pod.report_decays_at(at(milliseconds(800))), std::nullopt);
  EXPECT_EQ(pod.load(at(seconds(3600))), 0);
}

TEST(PodTrackerLoad, ReportedByAnOvertakenResponseIsNotThatOfOtherCallers) {
  PodTracker pod(web_1(), 2);
  pod.acquire(at(milliseconds(0)));
  pod.acquire(at(milliseconds(0)));
  // Both were in flight when the first response was written; the second one arrived earlier.
  pod.release(PodOutcome::kResponded, 0, at(milliseconds(1)));
  pod.record_reported_load(2, at(milliseconds(1)));
  EXPECT_TRUE(pod.can_take(at(milliseconds(1))));
}

TEST(PodTrackerLoad, OfOtherCallersIsNotReducedByOwnRequestsOfLongAgo) {
  PodTracker pod(web_1(), 0);
  for (int i = 0; i < 5; ++i) pod.acquire(at(seconds(0)));
  for (int i = 0; i < 5; ++i) pod.release(PodOutcome::kResponded, 0, at(seconds(1)));
  pod.acquire(at(seconds(10)));
  pod.record_reported_load(4, at(milliseconds(10'005)));
  EXPECT_EQ(pod.load(at(milliseconds(10'005))), 4) << "three of other callers, one of our own";
}

TEST(PodTrackerLoad, OfLongRequestsThatEndTogetherIsNotThatOfOtherCallers) {
  PodTracker pod(web_1(), 5);
  for (int i = 0; i < 5; ++i) pod.acquire(at(seconds(0)));
  for (int i = 0; i < 4; ++i) pod.release(PodOutcome::kResponded, 0, at(seconds(1)));
  pod.record_reported_load(5, at(milliseconds(1'001)));
  EXPECT_EQ(pod.load(at(milliseconds(1'001))), 1) << "reported while all five were in flight";
}

TEST(PodTrackerLoad, OfOtherCallersIsForgottenWhenTheReplicaIsEjected) {
  PodTracker pod(web_1(), 0);
  pod.record_reported_load(8, kStart);
  serve(pod, PodOutcome::kFailed, kStart);
  EXPECT_EQ(pod.load(kStart), 0);
}

TEST(PodTrackerSlice, OfAnotherActivatorGetsNoRequestsAndNoProbes) {
  PodTracker pod(web_1(), 10);
  pod.assign(false);
  EXPECT_FALSE(pod.can_take(kStart));
  EXPECT_FALSE(pod.is_ejected());
  pod.assign(true);
  EXPECT_TRUE(pod.can_take(kStart));
}

TEST(PodTrackerUnlisted, TakesNoNewRequestsAndFinishesThoseInFlight) {
  PodTracker pod(web_1(), 10);
  pod.acquire(kStart);
  pod.unlist();
  EXPECT_FALSE(pod.can_take(kStart));
  EXPECT_EQ(pod.probe_at(true), std::nullopt);
  pod.release(PodOutcome::kResponded, 0, kStart);
  EXPECT_EQ(pod.in_flight(), 0);
}

TEST(PodHealthText, NamesEachState) {
  EXPECT_EQ(to_string(PodHealth::kHealthy), "healthy");
  EXPECT_EQ(to_string(PodHealth::kEjected), "ejected");
  EXPECT_EQ(to_string(PodHealth::kProbing), "probing");
}

}  // namespace
}  // namespace bellows::activator
