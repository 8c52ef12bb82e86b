// Replicas that fail, and replicas that are shared with others.
#include "activator/core/revision_throttler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/unit/activator/throttler_diary.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ThrottlerFailedReplica, IsEjectedAndTheOthersServe) {
  Diary diary;
  diary.view().settings.container_concurrency = 5;
  diary.replicas({"web-1", "web-2"});
  Caller& a = diary.arrives("a");
  const std::string bad = Diary::pod_of(a);
  EXPECT_TRUE(diary.ends(a, PodOutcome::kFailed));
  for (int i = 0; i < 5; ++i) EXPECT_NE(Diary::pod_of(diary.arrives("x")), bad);
  EXPECT_EQ(diary.arrives("y").state(), HoldState::kQueued);
}

TEST(ThrottlerFailedReplica, StaysEjectedIfTheClusterListsItUnchanged) {
  Diary diary;
  diary.replicas({"web-1"});
  diary.ends(diary.arrives("a"), PodOutcome::kFailed);
  diary.update();
  EXPECT_EQ(diary.arrives("b").state(), HoldState::kQueued);
}

TEST(ThrottlerFailedReplica, IsHealthyAgainWhenAProbeSucceeds) {
  Diary diary;
  diary.view().settings.container_concurrency = 5;
  diary.replicas({"web-1"});
  const TimePoint failed = diary.now();
  diary.ends(diary.arrives("a"), PodOutcome::kFailed);
  diary.arrives("b");
  diary.arrives("c");
  EXPECT_EQ(diary.throttler().next_tick(), failed + milliseconds(100));
  EXPECT_TRUE(diary.throttler().due_probes(failed).empty());
  diary.at(milliseconds(100));
  const auto due = diary.throttler().due_probes(diary.now());
  ASSERT_EQ(due.size(), 1U);
  EXPECT_EQ(due[0].replica, PodName("web-1"));
  EXPECT_TRUE(diary.throttler().due_probes(diary.now()).empty()) << "the probe is in flight";
  EXPECT_THAT(diary.settled(), IsEmpty());
  EXPECT_TRUE(diary.throttler().end_probe(PodName("web-1"), true, diary.now()));
  EXPECT_THAT(diary.settled(), ElementsAre("b", "c"));
}

TEST(ThrottlerFailedReplica, IsProbedEvenIfNoRequestWaits) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  diary.ends(diary.arrives("a"), PodOutcome::kFailed);
  EXPECT_FALSE(diary.throttler().is_quiet());
  EXPECT_EQ(diary.throttler().next_tick(), diary.now() + milliseconds(100));
  diary.at(milliseconds(100));
  diary.probes_end(true);
  EXPECT_TRUE(diary.throttler().is_quiet());
}

TEST(ThrottlerResponse, IsExpectedForAsLongAsResponsesMayOvertakeEachOther) {
  Diary diary;
  diary.view().settings.container_concurrency = 5;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  const TimePoint end = diary.now() + kMaxReordering;
  EXPECT_TRUE(a.grant().is_expected({.in_flight = 1}, end - milliseconds(1)));
  EXPECT_TRUE(a.grant().is_expected({}, end - milliseconds(1))) << "nothing is reported";
  EXPECT_FALSE(a.grant().is_expected({.in_flight = 2}, end - milliseconds(1)))
      << "one is of another caller";
  EXPECT_FALSE(a.grant().is_expected({.in_flight = 1}, end));
}

TEST(ThrottlerUnresponsiveReplica, IsNotClearedByALocalReplyOfItsQueueProxy) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  diary.arrives("busy");  // the other replica has nothing to spare
  diary.ends(diary.arrives("a"), PodOutcome::kUnresponsive);
  Caller& full = diary.arrives("b");
  diary.throttler().record_response(full, {.in_flight = {}, .is_of_app = false}, diary.now());
  diary.ends(full);
  EXPECT_TRUE(diary.ends(diary.arrives("c"), PodOutcome::kUnresponsive)) << "the second in a row";
  EXPECT_EQ(diary.throttler().next_tick(), diary.now() + kBaseEjectionTime);
}

TEST(ThrottlerUnresponsiveReplica, GetsTheSameRequestAgainOnlyIfNoOtherCanTakeIt) {
  for (const auto policy : {config::LoadBalancing::kLeastLoaded, config::LoadBalancing::kKnative,
                            config::LoadBalancing::kRandomChoice2}) {
    Diary diary;
    diary.view().settings.load_balancing = policy;
    diary.replicas({"web-1", "web-2"});
    Caller& a = diary.arrives("a");
    const std::string unresponsive = Diary::pod_of(a);
    EXPECT_FALSE(diary.ends(a, PodOutcome::kUnresponsive)) << "the first time is only remembered";
    diary.throttler().requeue(a, 1000, diary.now());
    EXPECT_NE(Diary::pod_of(a), unresponsive);
    diary.ends(a);

    Caller& b = diary.arrives("b");
    Caller& c = diary.arrives("c");
    diary.throttler().record_response(b, {}, diary.now());
    diary.throttler().record_response(c, {}, diary.now());
    const std::string only = Diary::pod_of(c);
    EXPECT_FALSE(diary.ends(c, PodOutcome::kUnresponsive));
    diary.throttler().requeue(c, 1000, diary.now());
    EXPECT_EQ(Diary::pod_of(c), only) << "the other one is busy";
    EXPECT_FALSE(diary.ends(c, PodOutcome::kUnresponsive)) << "one request counts once";
    EXPECT_TRUE(diary.ends(diary.arrives("d"), PodOutcome::kUnresponsive))
        << "another request, the same result";
  }
}

TEST(ThrottlerUnresponsiveReplica, HasAWaitForASlotOfTheSameRequestOnlyIfItIsTheOnlyOne) {
  for (const std::size_t replicas : {1, 2}) {
    Diary diary;
    diary.view().share = {.activators = 2, .index = 0};
    diary.replicas(replicas == 1 ? std::vector<std::string>{"web-1"}
                                 : std::vector<std::string>{"web-1", "web-2"});
    for (std::size_t i = 0; i < replicas; ++i) {  // another activator has all slots
      Caller& a = diary.arrives("a");
      diary.throttler().record_response(a, {.in_flight = 2}, diary.now());
      diary.ends(a);
    }
    Caller& b = diary.arrives("b");
    EXPECT_EQ(b.state(), HoldState::kGranted);
    EXPECT_EQ(b.grant().wait, proxy::SlotWait::kBrief);
    const std::string unresponsive = Diary::pod_of(b);
    EXPECT_FALSE(diary.ends(b, PodOutcome::kUnresponsive));
    EXPECT_EQ(diary.throttler().requeue(b, 1000, diary.now()), HoldState::kGranted);
    EXPECT_EQ(b.grant().wait, proxy::SlotWait::kBrief);
    EXPECT_EQ(Diary::pod_of(b) == unresponsive, replicas == 1);
  }
}

TEST(ThrottlerUnresponsiveReplica, IsNotEjectedIfItIsTheLastHealthyOne) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  int set_aside = 0;
  for (int i = 0; i < 50; ++i) {
    Caller& a = diary.arrives("a");
    ASSERT_EQ(a.state(), HoldState::kGranted) << "no request waits for a probe";
    set_aside += diary.ends(a, PodOutcome::kUnresponsive) ? 1 : 0;
  }
  EXPECT_EQ(set_aside, 1);
}

TEST(ThrottlerUnresponsiveReplica, DoesNotGetTheWaitingRequestsOfAFullOne) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  Caller& busy = diary.arrives("busy");
  std::vector<Caller*> waiting;
  diary.ends(diary.arrives("a"), PodOutcome::kUnresponsive);
  diary.ends(diary.arrives("b"), PodOutcome::kUnresponsive);
  for (int i = 0; i < 50; ++i) waiting.push_back(&diary.arrives("x"));
  std::size_t dropped = 0;
  for (int ms = 0; ms <= 1000; ms += 10) {
    diary.at(milliseconds(ms));
    diary.probes_end(true);
    if (dropped < waiting.size() && waiting[dropped]->state() == HoldState::kGranted) {
      diary.ends(*waiting[dropped++], PodOutcome::kUnresponsive);
    }
  }
  EXPECT_EQ(dropped, 3U)
      << "at 100, 300 and 700 ms: its app drops all, and the other requests can wait";
  EXPECT_EQ(busy.state(), HoldState::kGranted);
}

TEST(ThrottlerAllReplicasEjected, KeepsRequestsQueuedAndProbesEach100msUntilOneSucceeds) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  diary.ends(diary.arrives("a"), PodOutcome::kFailed);
  diary.ends(diary.arrives("b"), PodOutcome::kFailed);
  EXPECT_EQ(diary.arrives("c").state(), HoldState::kQueued)
      << "not rejected: a replica may recover";
  for (int ms = 100; ms <= 2000; ms += 100) {
    diary.at(milliseconds(ms));
    diary.probes_end(false);
    EXPECT_EQ(diary.throttler().next_tick(), diary.now() + milliseconds(100));
  }
  diary.at(milliseconds(2100));
  diary.probes_end(true);
  EXPECT_THAT(diary.settled(), ElementsAre("c"));
}

TEST(ThrottlerAllReplicasEjected, NamesTheReasonWhenQueueAgeHasPassed) {
  Diary diary;
  diary.replicas({"web-1"});
  diary.ends(diary.arrives("a"), PodOutcome::kFailed);
  Caller& b = diary.arrives("b");
  diary.at(seconds(60));
  ASSERT_EQ(b.state(), HoldState::kRejected);
  EXPECT_EQ(to_string(b.rejection()),
            "service web: all replicas failed (1) and did not answer a probe within 1m "
            "(queue-age)");
}

TEST(ThrottlerReportedLoad, KeepsRequestsQueuedForSlotsOfOtherCallers) {
  Diary diary;
  diary.view().settings.container_concurrency = 2;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.throttler().record_response(a, {.in_flight = 2}, diary.now());
  Caller& b = diary.arrives("b");
  EXPECT_EQ(b.state(), HoldState::kQueued);
  EXPECT_EQ(diary.throttler().next_tick(), diary.now() + kReportHalfLife);
  diary.at(kReportHalfLife);
  EXPECT_EQ(b.state(), HoldState::kGranted) << "the report is old: the replica's own limit decides";
}

// The timer of the wake-up may be late by its resolution.
TEST(ThrottlerReportedLoad, ThatHasDecayedStaysDueWhenRequestsComeAndLeaveBeforeTheTick) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.ends(a, PodOutcome::kFull);
  EXPECT_EQ(diary.throttler().requeue(a, 1000, diary.now()), HoldState::kQueued);
  const TimePoint free_again = diary.now() + kFullTime;
  EXPECT_EQ(diary.throttler().next_tick(), free_again);

  diary.later(kFullTime + milliseconds(1));
  Caller& b = diary.arrives("b");
  EXPECT_EQ(diary.throttler().next_tick(), free_again) << "an arrival";
  diary.hangs_up(b);
  EXPECT_EQ(diary.throttler().next_tick(), free_again) << "a caller that leaves";
  diary.at(kFullTime + milliseconds(2));
  EXPECT_EQ(a.state(), HoldState::kGranted);
}

TEST(ThrottlerReportedLoad, ThatDecaysGrantsQueuedRequests) {
  Diary diary;
  diary.view().settings.container_concurrency = 3;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  Caller& b = diary.arrives("b");
  diary.at(milliseconds(50));
  diary.throttler().record_response(a, {.in_flight = 3}, diary.now());
  diary.arrives("c");
  EXPECT_THAT(diary.settled(), IsEmpty());
  diary.throttler().record_response(b, {.in_flight = 2}, diary.now());
  EXPECT_THAT(diary.settled(), ElementsAre("c"));
}

TEST(ThrottlerReportedLoad, IsIgnoredByKnativesPolicies) {
  Diary diary;
  diary.view().settings.container_concurrency = 2;
  diary.view().settings.load_balancing = config::LoadBalancing::kKnative;
  diary.replicas({"web-1"});
  diary.throttler().record_response(diary.arrives("a"), {.in_flight = 2}, diary.now());
  EXPECT_EQ(diary.arrives("b").state(), HoldState::kGranted);
}

/// How many of a hundred requests are granted at once.
std::int64_t capacity(config::LoadBalancing policy, std::int32_t container_concurrency,
                      int replicas, ActivatorShare share, bool has_shared_address = false) {
  Diary diary;
  diary.view().settings.container_concurrency = container_concurrency;
  diary.view().settings.load_balancing = policy;
  diary.view().settings.queue_depth = 2000;
  diary.view().share = share;
  if (has_shared_address) diary.view().shared_address = Endpoint{"10.0.0.1", 80, ""};
  std::vector<std::string> names;
  for (int i = 0; i < replicas; ++i) names.push_back("web-" + std::to_string(100 + i));
  diary.replicas(names);
  for (int i = 0; i < 1200; ++i) diary.arrives("x", 10);
  return diary.throttler().in_flight();
}

TEST(ThrottlerShare, OfASharedAddressIsAPartOfAllSlots) {  // cases 81 and 82
  constexpr auto kKnative = config::LoadBalancing::kKnative;
  EXPECT_EQ(capacity(kKnative, 10, 1, {1, 0}, true), 10);
  EXPECT_EQ(capacity(kKnative, 10, 10, {1, 0}, true), 100);
  EXPECT_EQ(capacity(kKnative, 10, 100, {1, 0}, true), 1000);
  EXPECT_EQ(capacity(kKnative, 10, 10, {5, 0}, true), 20);
  EXPECT_EQ(capacity(kKnative, 10, 10, {200, 0}, true), 1);
  EXPECT_EQ(capacity(kKnative, 10, 0, {200, 0}, true), 0);
  EXPECT_EQ(capacity(kKnative, 0, 0, {1, 0}, true), 0) << "no replica, no slots";
  EXPECT_EQ(capacity(kKnative, 0, 1, {1, 0}, true), 1200) << "one replica without a limit";
  EXPECT_EQ(capacity(kKnative, 0, 10, {1, 0}, true), 1200);
}

TEST(ThrottlerShare, OfReplicasIsASliceWithKnativesPolicies) {  // cases 83 and 84
  constexpr auto kKnative = config::LoadBalancing::kKnative;
  EXPECT_EQ(capacity(kKnative, 10, 2, {1, 0}), 20);
  EXPECT_EQ(capacity(kKnative, 10, 2, {2, 0}), 10);
  EXPECT_EQ(capacity(kKnative, 10, 3, {2, 0}), 20);
  EXPECT_EQ(capacity(kKnative, 10, 3, {2, 1}), 10);
  EXPECT_EQ(capacity(kKnative, 1, 5, {2, 0}), 3);
  EXPECT_EQ(capacity(kKnative, 1, 5, {2, 1}), 2);
  EXPECT_EQ(capacity(kKnative, 10, 3, {2, -1}), 30) << "without an index: all";
  EXPECT_EQ(capacity(kKnative, 0, 3, {2, 1}), 1200) << "without a limit there is nothing to share";
}

TEST(ThrottlerShare, OfReplicasIsAllOfThemByDefaultSinceTheyReportTheirLoad) {
  EXPECT_EQ(capacity(config::LoadBalancing::kLeastLoaded, 10, 3, {2, 0}), 30);
}

TEST(ThrottlerShare, OfActivatorsWithoutReportsBeginsWithTheirSlices) {
  Diary first;
  Diary second;
  std::set<std::string> taken;
  for (std::int32_t index = 0; index < 2; ++index) {
    Diary& diary = index == 0 ? first : second;
    diary.view().share = {2, index};
    diary.replicas({"web-1", "web-2", "web-3", "web-4"});
    for (const char* name : {"a", "b"}) taken.insert(Diary::pod_of(diary.arrives(name)));
  }
  EXPECT_EQ(taken.size(), 4U)
      << "of one slot each: no request is queued while another replica is idle";
  EXPECT_EQ(first.arrives("c").state(), HoldState::kGranted)
      << "the other slice is used when its own is full";
}

TEST(ThrottlerFailedReplica, ServesAtOnceWhenItBecomesReadyAgain) {
  Diary diary;
  diary.replicas({"web-1"});
  diary.ends(diary.arrives("a"), PodOutcome::kFailed);
  diary.arrives("b");
  diary.view().ready[0].ready = diary.now() + milliseconds(5);
  diary.update();
  EXPECT_THAT(diary.settled(), ElementsAre("b"));
}

/// Ten callers at zero; three replicas are ordered, each with a target of 2. The fourth caller.
Caller& ten_callers_come(Diary& diary) {
  diary.view().settings.container_concurrency = 0;
  diary.view().settings.target = 2;
  diary.view().requested = 3;
  diary.update();
  for (const char* name : {"a", "b", "c"}) diary.arrives(name);
  Caller& fourth = diary.arrives("d");
  for (const char* name : {"e", "f", "g", "h", "i", "j"}) diary.arrives(name);
  return fourth;
}

TEST(ThrottlerWithoutALimit, ABurstFromZeroWaitsForAllReplicasThatStart) {
  Diary diary;
  ten_callers_come(diary);
  diary.replicas({"web-1"});
  EXPECT_THAT(diary.settled(), ElementsAre("a", "b", "c", "d")) << "twice its target";
  diary.at(milliseconds(50));
  diary.replicas({"web-1", "web-2", "web-3"});
  EXPECT_THAT(diary.settled(), ElementsAre("e", "f", "g", "h", "i", "j"));
  EXPECT_TRUE(diary.throttler().is_quiet());
}

TEST(ThrottlerWithoutALimit, AReplicaThatNeverComesIsWaitedForTenSeconds) {
  Diary diary;
  ten_callers_come(diary);
  diary.replicas({"web-1"});
  diary.settled();
  EXPECT_EQ(diary.throttler().next_tick(), diary.now() + seconds(10));
  diary.at(seconds(10));
  EXPECT_THAT(diary.settled(), ElementsAre("e", "f", "g", "h", "i", "j"));
}

TEST(ThrottlerWithoutALimit, TheEndOfAVainWaitStaysDueWhenARequestComesBeforeTheTick) {
  Diary diary;
  diary.view().settings.container_concurrency = 0;
  diary.view().settings.target = 1;
  diary.view().requested = 1;
  diary.replicas({"web-1"});
  for (const char* name : {"a", "b", "c"}) diary.arrives(name);
  EXPECT_EQ(diary.throttler().waiting(), 1U) << "the replica has twice its target";
  const std::optional<TimePoint> due = diary.throttler().next_tick();
  EXPECT_EQ(due, diary.now() + seconds(3));
  diary.later(milliseconds(3'005));
  Caller& last = diary.arrives("d");
  EXPECT_EQ(diary.throttler().next_tick(), due) << "an arrival";
  diary.hangs_up(last);
  EXPECT_EQ(diary.throttler().next_tick(), due) << "a caller that leaves";
  diary.at(milliseconds(3'050));
  EXPECT_THAT(diary.settled(), ElementsAre("c"));
}

TEST(ThrottlerWithoutALimit, WhatTheFirstReplicaServesMakesNoRoomWhileOthersStart) {
  Diary diary;
  Caller& fourth = ten_callers_come(diary);
  diary.replicas({"web-1"});
  EXPECT_THAT(diary.settled(), ElementsAre("a", "b", "c", "d"));
  diary.at(milliseconds(50));
  diary.ends(fourth);
  EXPECT_THAT(diary.settled(), ElementsAre("e")) << "the others hang in its backlog, perhaps";
}

TEST(ThrottlerWithoutALimit, ABurstGoesToAReplicaThatHasServedAsManyBefore) {
  Diary diary;
  diary.view().settings.container_concurrency = 0;
  diary.view().settings.target = 2;
  diary.view().requested = 1;
  diary.replicas({"web-1"});
  std::vector<Caller*> before;
  for (const char* name : {"a", "b", "c", "d"}) before.push_back(&diary.arrives(name));
  diary.at(milliseconds(50));
  for (Caller* const caller : before) diary.ends(*caller);
  diary.at(seconds(2));
  diary.view().requested = 3;
  diary.update();
  for (const char* name : {"e", "f", "g", "h", "i", "j", "k", "l", "m"}) diary.arrives(name);
  EXPECT_EQ(diary.throttler().in_flight(), 8) << "four were served: eight";
  EXPECT_EQ(diary.throttler().waiting(), 1);
}

TEST(ThrottlerWithoutALimit, AtMaxScaleNobodyWaits) {
  Diary diary;
  ten_callers_come(diary);
  diary.view().settings.max_scale = 1;
  diary.view().requested = 1;
  diary.replicas({"web-1"});
  EXPECT_EQ(diary.settled().size(), 10U);
}

TEST(ThrottlerSession, GoesToItsReplicaWhileThatHasAFreeSlot) {
  Diary diary;
  diary.view().settings.container_concurrency = 2;
  diary.replicas({"web-1", "web-2", "web-3"});
  for (int i = 0; i < 2; ++i) EXPECT_EQ(Diary::pod_of(diary.arrives_for("s", "web-3")), "web-3");
  EXPECT_NE(Diary::pod_of(diary.arrives_for("s", "web-3")), "web-3") << "it is full";
  EXPECT_TRUE(diary.throttler().has_replica(PodName("web-3")));
}

TEST(ThrottlerSession, ForgetsAReplicaThatLeftOrFails) {
  Diary diary;
  diary.view().settings.container_concurrency = 5;
  diary.replicas({"web-1", "web-2"});
  diary.ends(diary.arrives_for("s", "web-2"), PodOutcome::kFailed);
  EXPECT_EQ(Diary::pod_of(diary.arrives_for("s", "web-2")), "web-1") << "ejected";
  diary.replicas({"web-1"});
  EXPECT_FALSE(diary.throttler().has_replica(PodName("web-2")));
  EXPECT_EQ(Diary::pod_of(diary.arrives_for("s", "web-2")), "web-1");
}

TEST(ThrottlerSession, NeitherPassesNorIsPassed) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  Caller& one = diary.arrives_for("one", "web-1");
  Caller& two = diary.arrives_for("two", "web-2");
  Caller& session = diary.arrives_for("session", "web-1");
  Caller& other = diary.arrives("other");
  Caller& later = diary.arrives_for("later", "web-2");
  diary.ends(two);
  EXPECT_EQ(Diary::pod_of(session), "web-2") << "first in the queue, and no slot stays idle";
  EXPECT_EQ(later.state(), HoldState::kQueued);
  diary.ends(one);
  EXPECT_EQ(Diary::pod_of(other), "web-1");
  diary.ends(session);
  EXPECT_EQ(Diary::pod_of(later), "web-2");
}

}  // namespace
}  // namespace bellows::activator
