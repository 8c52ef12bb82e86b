#include "autoscaler/service/start_failures.hpp"

#include <gtest/gtest.h>
#include "cluster/core/not_ready.hpp"

namespace bellows::autoscaler::test {
namespace {

using cluster::Replica;
using cluster::ReplicaPhase;
using cluster::ReplicaPtr;

const TimePoint kNow(std::chrono::hours(1));

Replica replica(ReplicaPhase phase, int restarts = 0, std::string why = {}) {
  Replica replica;
  replica.name = PodName("web-1");
  replica.phase = phase;
  replica.restarts = restarts;
  replica.failure_message = std::move(why);
  return replica;
}

/// A revision with at most one replica.
class StartFailuresTest : public testing::Test {
 protected:
  void then(std::vector<Replica> replicas) {
    std::vector<ReplicaPtr> next = cluster::next_replicas(std::move(replicas), list_);
    failures_.note(list_, next, kNow);
    list_ = std::move(next);
  }
  void crash(int restarts, const std::string& why) {
    then({replica(ReplicaPhase::kStarting, restarts)});
    then({replica(ReplicaPhase::kFailed, restarts, why)});
  }

  StartFailures failures_;
  std::vector<ReplicaPtr> list_;
};

TEST_F(StartFailuresTest, AreCountedOverReplicasAndKeptAtZero) {
  EXPECT_EQ(failures_.count(), 0);
  crash(0, "no database");
  crash(1, "no database");
  then({});
  EXPECT_EQ(failures_.count(), 2);
  crash(0, "KeyError");
  then({replica(ReplicaPhase::kDraining, 0, "KeyError")});
  then({});
  EXPECT_EQ(failures_.count(), 3);
  EXPECT_EQ(failures_.last(), "KeyError");
  EXPECT_EQ(failures_.last_at(), kNow);
}

TEST_F(StartFailuresTest, EndWithAStartThatSucceeds) {
  crash(0, "no database");
  then({replica(ReplicaPhase::kReady, 1)});
  EXPECT_EQ(failures_.count(), 0);
  EXPECT_EQ(failures_.last(), "");
}

TEST_F(StartFailuresTest, OneStartThatIsLateAndThenCrashesIsOne) {
  crash(0, "not ready after 1m");
  then({replica(ReplicaPhase::kFailed, 0, "exited with code 1")});
  EXPECT_EQ(failures_.count(), 1);
}

TEST_F(StartFailuresTest, ThoseBetweenTwoListsAreCounted) {
  crash(0, "boom");
  then({replica(ReplicaPhase::kFailed, 4, "boom")});
  EXPECT_EQ(failures_.count(), 5);
  then({});
  then({replica(ReplicaPhase::kFailed, 2, "boom")});
  EXPECT_EQ(failures_.count(), 8);
}

TEST_F(StartFailuresTest, ACrashOfAReadyAppIsNone) {
  then({replica(ReplicaPhase::kReady)});
  then({replica(ReplicaPhase::kFailed, 0, "killed by SIGSEGV")});
  EXPECT_EQ(failures_.count(), 0);
  Replica was_ready = replica(ReplicaPhase::kStarting, 0, "no answer");
  was_ready.start.ready = kNow;
  then({was_ready});
  was_ready.phase = ReplicaPhase::kFailed;
  then({was_ready});
  EXPECT_EQ(failures_.count(), 0) << "it was ready in this run";
}

TEST_F(StartFailuresTest, OneThatNobodyWaitsForIsNoneUnlessItsReasonIsKnown) {
  then({replica(ReplicaPhase::kStarting)});
  then({replica(ReplicaPhase::kDraining)});
  then({});
  EXPECT_EQ(failures_.count(), 0) << "it may only be slow";
  then({replica(ReplicaPhase::kStarting, 0, "not ready yet: it listens elsewhere")});
  then({replica(ReplicaPhase::kDraining, 0, "not ready yet: it listens elsewhere")});
  then({});
  EXPECT_EQ(failures_.count(), 1);
  EXPECT_EQ(failures_.last(), "not ready yet: it listens elsewhere");
}

TEST_F(StartFailuresTest, AnAppThatIsDrainedBetweenTwoStartsIsCountedOnce) {
  crash(0, "KeyError");
  then({replica(ReplicaPhase::kStarting, 1, "KeyError")});
  then({});
  EXPECT_EQ(failures_.count(), 1);
}

TEST(NotReadyBecause, IsTheReasonOfTheFirstReplicaIfNoneIsReady) {
  cluster::Revision web;
  EXPECT_EQ(cluster::not_ready_because(web), "");
  Replica gone = replica(ReplicaPhase::kDraining, 0, "drains");
  Replica early = replica(ReplicaPhase::kStarting, 0, "it listens elsewhere");
  early.name = PodName("web-2");
  web.replicas = cluster::next_replicas({gone, early}, {});
  EXPECT_EQ(cluster::not_ready_because(web), "it listens elsewhere");
  web.failure_message = "not ready after 1m";
  EXPECT_EQ(cluster::not_ready_because(web), "") << "it has failed";
  web.failure_message.clear();
  Replica ready = replica(ReplicaPhase::kReady);
  ready.name = PodName("web-3");
  web.replicas = cluster::next_replicas({early, ready}, {});
  EXPECT_EQ(cluster::not_ready_because(web), "");
}

}  // namespace
}  // namespace bellows::autoscaler::test
