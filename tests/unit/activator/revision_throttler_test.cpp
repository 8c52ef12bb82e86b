#include "activator/core/revision_throttler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/activator/throttler_diary.hpp"

namespace bellows::activator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ThrottlerWithFreeSlots, GrantsARequestAtOnceAndGetsTheSlotBack) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  EXPECT_EQ(a.state(), HoldState::kGranted);
  EXPECT_EQ(Diary::pod_of(a), "web-1");
  EXPECT_EQ(a.grant().held_since, std::nullopt);
  EXPECT_EQ(diary.throttler().in_flight(), 1);
  diary.ends(a);
  EXPECT_EQ(a.state(), HoldState::kInactive);
  EXPECT_TRUE(diary.throttler().is_idle());
  EXPECT_FALSE(diary.throttler().take_scale_from_zero_trigger(diary.now()));
}

TEST(ThrottlerAtZero, HoldsRequestsAndGrantsThemInOrderWhenAReplicaIsReady) {
  Diary diary;
  for (const char* name : {"a", "b", "c"}) {
    EXPECT_EQ(diary.arrives(name).state(), HoldState::kQueued);
  }
  EXPECT_TRUE(diary.throttler().take_scale_from_zero_trigger(diary.now()));
  EXPECT_FALSE(diary.throttler().take_scale_from_zero_trigger(diary.now()));
  diary.view().settings.container_concurrency = 0;
  diary.replicas({"web-1"});
  EXPECT_THAT(diary.settled(), ElementsAre("a", "b", "c"));
}

TEST(ThrottlerAtZero, TellsTheFirstGrantedRequestWhenTheFirstOneBeganToWait) {
  Diary diary;
  const TimePoint first_came = diary.now();
  Caller& a = diary.arrives("a");
  diary.at(milliseconds(300));
  Caller& b = diary.arrives("b");
  diary.view().settings.container_concurrency = 0;
  diary.replicas({"web-1"});
  EXPECT_EQ(a.grant().held_since, first_came);
  EXPECT_EQ(b.grant().held_since, std::nullopt);
}

TEST(ThrottlerAtZero, ForgetsTheColdStartWhenAllCallersHangUp) {
  Diary diary;
  diary.hangs_up(diary.arrives("a"));
  diary.at(seconds(5));
  Caller& b = diary.arrives("b");
  const TimePoint b_came = diary.now();
  diary.at(seconds(6));
  diary.replicas({"web-1"});
  EXPECT_EQ(b.grant().held_since, b_came);
}

TEST(ThrottlerBusy, GrantsOnlyAsManyRequestsAsTheReplicasHaveSlots) {
  Diary diary;
  diary.view().settings.container_concurrency = 2;
  diary.replicas({"web-1", "web-2"});
  std::vector<Caller*> callers;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) callers.push_back(&diary.arrives(name));
  EXPECT_EQ(diary.throttler().in_flight(), 4);
  EXPECT_EQ(diary.throttler().waiting(), 2);
  diary.ends(*callers[2]);
  EXPECT_THAT(diary.settled(), ElementsAre("e"));
  EXPECT_EQ(Diary::pod_of(*callers[4]), Diary::pod_of(*callers[2])) << "the slot just freed";
}

TEST(ThrottlerBusy, NoNewRequestOvertakes) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.arrives("b");
  diary.ends(a);
  Caller& c = diary.arrives("c");
  EXPECT_THAT(diary.settled(), ElementsAre("b"));
  EXPECT_EQ(c.state(), HoldState::kQueued);
}

TEST(ThrottlerBusy, DoesNotTriggerAScaleUpOfAReadyRevision) {
  Diary diary;
  diary.replicas({"web-1"});
  diary.arrives("a");
  diary.arrives("b");
  EXPECT_FALSE(diary.throttler().take_scale_from_zero_trigger(diary.now()));
}

TEST(ThrottlerHangUp, OfAQueuedCallerMakesRoomInTheQueue) {
  Diary diary;
  diary.view().settings.queue_depth = 2;
  diary.replicas({});
  Caller& a = diary.arrives("a");
  diary.arrives("b");
  diary.hangs_up(a);
  EXPECT_EQ(diary.throttler().waiting(), 1);
  EXPECT_EQ(diary.arrives("c").state(), HoldState::kQueued);
  diary.hangs_up(a);  // once more: nothing
  diary.replicas({"web-1"});
  EXPECT_THAT(diary.settled(), ElementsAre("b"));
}

TEST(ThrottlerHangUp, OfAGrantedCallerGivesItsSlotToTheNext) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.arrives("b");
  diary.hangs_up(a);
  EXPECT_THAT(diary.settled(), ElementsAre("b"));
  EXPECT_EQ(diary.throttler().in_flight(), 1);
}

TEST(ThrottlerHangUp, ADestroyedRequestLeavesTheQueue) {
  Diary diary;
  std::vector<std::string> log;
  {
    Caller gone("gone", log);
    diary.throttler().enqueue(gone, 10, diary.now());
    EXPECT_EQ(diary.throttler().waiting(), 1);
  }
  EXPECT_EQ(diary.throttler().waiting(), 0);
}

TEST(ThrottlerBounds, OfCountRejectsTheRequestAboveIt) {
  Diary diary;
  diary.view().settings.queue_depth = 2;
  diary.update();
  diary.arrives("a");
  diary.arrives("b");
  Caller& c = diary.arrives("c");
  ASSERT_EQ(c.state(), HoldState::kRejected);
  EXPECT_EQ(c.rejection().kind(), ErrorKind::kOverloaded);
  EXPECT_EQ(to_string(c.rejection()),
            "service web: its queue is full: 2 requests wait, queue-depth is 2");
  EXPECT_GE(diary.throttler().retry_after_seconds(diary.now()), 1);
}

TEST(ThrottlerRetryAfter, IsNotLongerAfterATimeWithoutWaitingRequests) {
  Diary diary;
  diary.replicas({"web-1"});
  std::vector<Caller*> crowd;
  for (int i = 0; i < 51; ++i) crowd.push_back(&diary.arrives("first"));
  for (int i = 0; i < 41; ++i) {
    diary.at(milliseconds(100) * (i + 1));
    diary.ends(*crowd[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(diary.throttler().waiting(), 9);
  EXPECT_EQ(diary.throttler().retry_after_seconds(diary.now()), 1) << "ten a second";
  for (std::size_t i = 41; i < crowd.size(); ++i) diary.ends(*crowd[i]);
  EXPECT_TRUE(diary.throttler().is_idle());

  diary.at(std::chrono::minutes(12));
  for (int i = 0; i < 51; ++i) diary.arrives("second");
  EXPECT_EQ(diary.throttler().waiting(), 50);
  EXPECT_LE(diary.throttler().retry_after_seconds(diary.now()), 5);
}

TEST(ThrottlerBounds, OfBytesRejectsARequestThatDoesNotFit) {
  Diary diary;
  diary.view().settings.queue_bytes = kibibytes(4);
  diary.update();
  diary.arrives("a", 3 * 1024);
  Caller& b = diary.arrives("b", 2 * 1024);
  ASSERT_EQ(b.state(), HoldState::kRejected);
  EXPECT_EQ(b.rejection().kind(), ErrorKind::kOverloaded);
  EXPECT_THAT(to_string(b.rejection()),
              HasSubstr("its queue is full: 1 request waits and holds 3Ki, queue-bytes is 4Ki"));
  EXPECT_EQ(diary.arrives("c", 1024).state(), HoldState::kQueued);
}

TEST(ThrottlerBounds, OfAgeRejectsRequestsThatWaitedTooLongOldestFirst) {
  Diary diary;
  diary.view().settings.queue_age = seconds(60);
  diary.update();
  Caller& a = diary.arrives("a");
  diary.at(seconds(1));
  diary.arrives("b");
  diary.at(milliseconds(59'999));
  EXPECT_THAT(diary.settled(), IsEmpty());
  diary.at(seconds(60));
  EXPECT_THAT(diary.settled(), ElementsAre("a"));
  ASSERT_EQ(a.state(), HoldState::kRejected);
  EXPECT_EQ(a.rejection().kind(), ErrorKind::kTimeout);
  EXPECT_EQ(to_string(a.rejection()), "service web: no replica became ready within 1m (queue-age)");
}

TEST(ThrottlerBounds, OfAgeSaysWhyNoReplicaIsReady) {
  Diary diary;
  diary.view().settings.queue_age = seconds(60);
  diary.view().not_ready = "web-1: not ready yet: it listens elsewhere";
  diary.update();
  Caller& a = diary.arrives("a");
  diary.at(seconds(60));
  ASSERT_EQ(a.state(), HoldState::kRejected);
  EXPECT_EQ(to_string(a.rejection()),
            "service web: no replica became ready within 1m (queue-age); web-1: not ready yet: it "
            "listens elsewhere");
}

TEST(ThrottlerBounds, OfTheRevisionTimeoutAppliesIfItIsShorterThanQueueAge) {
  Diary diary;
  diary.view().settings.queue_age = seconds(60);
  diary.view().settings.request_timeout = seconds(2);
  diary.update();
  Caller& a = diary.arrives("a");
  diary.at(milliseconds(1'999));
  EXPECT_THAT(diary.settled(), IsEmpty());
  diary.at(seconds(2));
  ASSERT_EQ(a.state(), HoldState::kRejected);
  EXPECT_EQ(a.rejection().side(), ErrorSide::kUpstream);  // 504, as wherever a timeout strikes
  EXPECT_EQ(to_string(a.rejection()),
            "service web: no replica became ready within 2s (revision-timeout)");
}

TEST(ThrottlerBounds, OfAgeSaysThatReplicasWereReadyButBusy) {
  Diary diary;
  diary.replicas({"web-1"});
  diary.arrives("a");
  Caller& b = diary.arrives("b");
  diary.at(seconds(60));
  EXPECT_THAT(to_string(b.rejection()), HasSubstr("no replica had room within 1m"));
}

TEST(ThrottlerBounds, LoweredLaterRejectNoQueuedRequest) {
  Diary diary;
  diary.arrives("a");
  diary.arrives("b");
  diary.view().settings.queue_depth = 1;
  diary.update();
  EXPECT_EQ(diary.throttler().waiting(), 2);
  EXPECT_EQ(diary.arrives("c").state(), HoldState::kRejected);
}

TEST(ThrottlerCapacity, LostWhileRequestsWaitKeepsThemQueuedAndTriggersAgain) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.arrives("b");
  diary.replicas({});
  EXPECT_TRUE(diary.throttler().take_scale_from_zero_trigger(diary.now()));
  diary.ends(a);
  EXPECT_EQ(diary.throttler().waiting(), 1) << "an unlisted replica takes no new request";
  EXPECT_TRUE(diary.throttler().pods().empty());
  diary.replicas({"web-2"});
  EXPECT_THAT(diary.settled(), ElementsAre("b"));
}

TEST(ThrottlerCapacity, ThatGrowsGrantsAsManyMoreRequests) {
  Diary diary;
  diary.replicas({"web-1"});
  for (const char* name : {"a", "b", "c", "d"}) diary.arrives(name);
  diary.replicas({"web-1", "web-2", "web-3"});
  EXPECT_THAT(diary.settled(), ElementsAre("b", "c"));
}

TEST(ThrottlerCapacity, OfAReplicaListedAgainCountsRequestsStillInFlightThere) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.replicas({});
  diary.replicas({"web-1"});
  EXPECT_EQ(diary.arrives("b").state(), HoldState::kQueued);
  diary.ends(a);
  EXPECT_THAT(diary.settled(), ElementsAre("b"));
}

TEST(ThrottlerRequeue, ComesBeforeAllThatHadNoReplicaYet) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  Caller& a = diary.arrives("a");
  Caller& b = diary.arrives("b");
  const std::string failed = Diary::pod_of(a);
  diary.arrives("c");
  diary.view().settings.queue_depth = 1;
  diary.update();
  diary.ends(a, PodOutcome::kFailed);
  EXPECT_EQ(diary.throttler().requeue(a, 10, diary.now()), HoldState::kQueued)
      << "the bounds of the queue do not apply to requests that were let in before";
  EXPECT_THAT(diary.settled(), IsEmpty());
  diary.ends(b);
  EXPECT_THAT(diary.settled(), ElementsAre("a"));
  EXPECT_NE(Diary::pod_of(a), failed);
}

TEST(ThrottlerRequeue, CountsItsQueueAgeFromItsReturn) {
  Diary diary;
  diary.view().settings.queue_age = seconds(60);
  diary.view().settings.request_timeout = seconds(300);
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.at(seconds(70));
  diary.ends(a, PodOutcome::kFailed);
  diary.replicas({});
  ASSERT_EQ(diary.throttler().requeue(a, 10, diary.now()), HoldState::kQueued);
  EXPECT_EQ(diary.throttler().next_tick(), diary.now() + seconds(60));
  diary.at(milliseconds(129'999));
  EXPECT_EQ(a.state(), HoldState::kQueued) << "it was in flight for 70 s, it has not waited";
  diary.at(seconds(130));
  ASSERT_EQ(a.state(), HoldState::kRejected);
  EXPECT_EQ(a.rejection().side(), ErrorSide::kInternal) << "503";
  EXPECT_EQ(to_string(a.rejection()),
            "service web: a replica failed and no other one took the request within 1m after that "
            "(queue-age)");
  EXPECT_TRUE(diary.throttler().is_idle());
}

TEST(ThrottlerRequeue, IsBoundedByRevisionTimeout) {
  Diary diary;
  diary.view().settings.queue_age = seconds(60);
  diary.view().settings.request_timeout = seconds(90);
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.at(seconds(70));
  diary.ends(a, PodOutcome::kFailed);
  diary.replicas({});
  diary.throttler().requeue(a, 10, diary.now());
  EXPECT_EQ(diary.throttler().next_tick(), diary.now() + seconds(20));
  diary.at(seconds(90));
  ASSERT_EQ(a.state(), HoldState::kRejected);
  EXPECT_EQ(a.rejection().side(), ErrorSide::kUpstream) << "504";
  EXPECT_EQ(to_string(a.rejection()),
            "service web: a replica failed and no other one took the request before its 1m30s "
            "ended (revision-timeout)");
  EXPECT_EQ(diary.throttler().next_tick(), std::nullopt);
}

TEST(ThrottlerRequeue, LeavesBothQueuesWhenItIsGrantedOrTheCallerHangsUp) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  Caller& b = diary.arrives("b");
  diary.ends(a, PodOutcome::kFailed);
  diary.throttler().requeue(a, 10, diary.now());
  diary.hangs_up(a);
  diary.replicas({"web-1", "web-2"});
  EXPECT_EQ(b.state(), HoldState::kGranted);
  diary.ends(b, PodOutcome::kFailed);
  diary.throttler().requeue(b, 10, diary.now());
  diary.replicas({"web-1", "web-2", "web-3"});
  EXPECT_EQ(Diary::pod_of(b), "web-3");
  diary.at(seconds(300));
  EXPECT_EQ(b.state(), HoldState::kGranted);
  EXPECT_EQ(diary.throttler().waiting(), 0);
}

TEST(ThrottlerRequeue, OfTheNewerRequestFirstKeepsTheTimeoutOfTheOlder) {
  Diary diary;
  diary.view().settings.request_timeout = seconds(10);
  diary.replicas({"web-1", "web-2"});
  Caller& old = diary.arrives("old");
  diary.at(seconds(8));
  Caller& young = diary.arrives("young");
  diary.ends(young, PodOutcome::kFailed);
  diary.throttler().requeue(young, 1000, diary.now());
  diary.at(seconds(9));
  diary.ends(old, PodOutcome::kFailed);
  diary.throttler().requeue(old, 1000, diary.now());
  EXPECT_LE(diary.throttler().next_tick(), diary.now() + seconds(1));
  diary.at(milliseconds(9'999));
  EXPECT_THAT(diary.settled(), IsEmpty());
  diary.at(seconds(10));
  EXPECT_THAT(diary.settled(), ElementsAre("old"));
  EXPECT_EQ(old.rejection().kind(), ErrorKind::kTimeout);
  diary.at(seconds(18));
  EXPECT_THAT(diary.settled(), ElementsAre("young"));
}

TEST(ThrottlerRequeue, GrantsTheOlderRequestFirstInAnyOrderOfFailure) {
  Diary diary;
  diary.replicas({"web-1", "web-2"});
  Caller& old = diary.arrives("old");
  diary.at(seconds(1));
  Caller& young = diary.arrives("young");
  diary.arrives("new");
  for (Caller* failed : {&young, &old}) {
    diary.ends(*failed, PodOutcome::kFailed);
    diary.throttler().requeue(*failed, 1000, diary.now());
  }
  EXPECT_THAT(diary.settled(), IsEmpty());
  diary.replicas({"web-3"});
  EXPECT_THAT(diary.settled(), ElementsAre("old"));
  diary.ends(old);
  EXPECT_THAT(diary.settled(), ElementsAre("young"));
  diary.ends(young);
  EXPECT_THAT(diary.settled(), ElementsAre("new"));
}

TEST(ThrottlerFailureMessage, RejectsQueuedAndNewRequests) {
  Diary diary;
  Caller& a = diary.arrives("a");
  diary.view().failure_message = "replica web-1 crashed 5 times, last: exit code 1";
  diary.update();
  Caller& b = diary.arrives("b");
  for (Caller* caller : {&a, &b}) {
    ASSERT_EQ(caller->state(), HoldState::kRejected);
    EXPECT_EQ(caller->rejection().kind(), ErrorKind::kUnavailable);
    EXPECT_EQ(to_string(caller->rejection()),
              "service web: replica web-1 crashed 5 times, last: exit code 1");
  }
  diary.view().failure_message.clear();
  diary.update();
  EXPECT_EQ(diary.arrives("c").state(), HoldState::kQueued);
}

TEST(ThrottlerFailureMessage, IsIgnoredWhileAReplicaIsReady) {
  Diary diary;
  diary.replicas({"web-1"});
  diary.view().failure_message = "replica web-2 crashed 5 times";
  diary.update();
  EXPECT_EQ(diary.arrives("a").state(), HoldState::kGranted);
  EXPECT_EQ(diary.arrives("b").state(), HoldState::kQueued);
}

TEST(ThrottlerClosed, RejectsAllRequestsAndLetsThoseInFlightEnd) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  Caller& b = diary.arrives("b");
  diary.throttler().close(Error(ErrorKind::kGone, "service web", "was retired"));
  EXPECT_EQ(b.rejection().kind(), ErrorKind::kGone);
  EXPECT_EQ(diary.arrives("c").rejection().kind(), ErrorKind::kGone);
  EXPECT_FALSE(diary.throttler().is_idle());
  diary.ends(a);
  EXPECT_TRUE(diary.throttler().is_idle());
}

TEST(ThrottlerClosed, ServesAgainWhenTheClusterListsItAgain) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.throttler().close(Error(ErrorKind::kGone, "service web", "was retired"));
  diary.replicas({});
  EXPECT_EQ(diary.throttler().rejection_reason(), std::nullopt);
  EXPECT_EQ(diary.arrives("b").state(), HoldState::kQueued);
  EXPECT_TRUE(diary.throttler().take_scale_from_zero_trigger(diary.now()));
  diary.replicas({"web-1"});
  EXPECT_THAT(diary.settled(), IsEmpty()) << "its slot is still taken by a";
  diary.ends(a);
  EXPECT_THAT(diary.settled(), ElementsAre("b"));
}

TEST(ThrottlerNextTick, IsTheEarliestOfAllDeadlines) {
  Diary diary;
  EXPECT_EQ(diary.throttler().next_tick(), std::nullopt);
  const TimePoint start = diary.now();
  Caller& a = diary.arrives("a");
  EXPECT_EQ(diary.throttler().next_tick(), start + seconds(60)) << "too old";
  diary.throttler().take_scale_from_zero_trigger(start);
  EXPECT_EQ(diary.throttler().next_tick(), start + seconds(1)) << "the next trigger";
  diary.hangs_up(a);
  EXPECT_EQ(diary.throttler().next_tick(), std::nullopt);
}

TEST(ThrottlerDeathTest, ASlotReleasedTwiceIsADefect) {
  Diary diary;
  diary.replicas({"web-1"});
  Caller& a = diary.arrives("a");
  diary.ends(a);
  EXPECT_DEATH(diary.ends(a), "has a slot");
}

}  // namespace
}  // namespace bellows::activator
