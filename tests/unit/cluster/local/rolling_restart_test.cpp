#include "cluster/local/rolling_restart.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace bellows::test {
namespace {

using cluster::Replica;
using cluster::ReplicaPhase;
using cluster::RollingRestart;
using What = RollingRestart::Step::What;

/// The replicas of a service that do what they are told.
class Fleet {
 public:
  explicit Fleet(PodCount ready) {
    for (PodCount i = 0; i < ready; ++i) add(ReplicaPhase::kReady);
  }
  void add(ReplicaPhase phase) {
    Replica replica;
    replica.name = PodName("web-" + std::to_string(++number_));
    replica.phase = phase;
    replicas_.push_back(replica);
  }
  void set(int number, ReplicaPhase phase) {
    for (Replica& replica : replicas_) {
      if (replica.name == PodName("web-" + std::to_string(number))) replica.phase = phase;
    }
  }
  /// Does what is due until nothing is; the names of those that drain.
  std::string follow(RollingRestart& restart, PodCount wanted) {
    std::string drained;
    while (true) {
      const auto step = restart.next(replicas_, wanted);
      if (step.what == What::kNone) return drained;
      if (step.what == What::kAdd) {
        add(ReplicaPhase::kStarting);
        drained += "+";
        continue;
      }
      drained += step.replica.text();
      for (Replica& replica : replicas_) {
        if (replica.name == step.replica) replica.phase = ReplicaPhase::kDraining;
      }
    }
  }
  const std::vector<Replica>& replicas() const { return replicas_; }

 private:
  int number_ = 0;
  std::vector<Replica> replicas_;
};

TEST(RollingRestartTest, EachOldReplicaDrainsOnceANewOneIsReady) {
  Fleet fleet(2);
  RollingRestart restart;
  restart.begin(fleet.replicas());
  EXPECT_EQ(restart.surge(), 1);
  EXPECT_EQ(fleet.follow(restart, 2), "+") << "web-3 starts, nobody drains";
  EXPECT_EQ(fleet.follow(restart, 2), "") << "it is not ready yet";
  fleet.set(3, ReplicaPhase::kReady);
  EXPECT_EQ(fleet.follow(restart, 2), "web-1+");
  fleet.set(4, ReplicaPhase::kReady);
  EXPECT_EQ(fleet.follow(restart, 2), "web-2");
  EXPECT_EQ(restart.surge(), 0);
}

TEST(RollingRestartTest, ANewReplicaThatNeverGetsReadyLeavesTheOldOnes) {
  Fleet fleet(2);
  RollingRestart restart;
  restart.begin(fleet.replicas());
  EXPECT_EQ(fleet.follow(restart, 2), "+");
  fleet.set(3, ReplicaPhase::kFailed);
  EXPECT_EQ(fleet.follow(restart, 2), "");
}

TEST(RollingRestartTest, OneThatServesNothingIsReplacedFirst) {
  Fleet fleet(2);
  fleet.set(2, ReplicaPhase::kFailed);
  RollingRestart restart;
  restart.begin(fleet.replicas());
  EXPECT_EQ(fleet.follow(restart, 2), "+");
  fleet.set(3, ReplicaPhase::kReady);
  EXPECT_EQ(fleet.follow(restart, 2), "web-2+");
}

TEST(RollingRestartTest, AScaleDownMeanwhileEndsItEarlier) {
  Fleet fleet(2);
  RollingRestart restart;
  restart.begin(fleet.replicas());
  EXPECT_EQ(fleet.follow(restart, 2), "+");
  fleet.set(3, ReplicaPhase::kReady);
  EXPECT_EQ(fleet.follow(restart, 0), "web-1web-2web-3");
  EXPECT_EQ(restart.surge(), 0);
}

TEST(RollingRestartTest, TheOneThatIsTooManyDrainsIfAnOrderForFewerDrainedTheOldOnes) {
  for (const auto& [old, wanted, drained] : {std::tuple{1, 0, "web-2"}, {2, 1, "web-4"}}) {
    Fleet fleet(old);
    RollingRestart restart;
    restart.begin(fleet.replicas());
    EXPECT_EQ(fleet.follow(restart, old), "+");
    if (old == 2) {
      fleet.set(3, ReplicaPhase::kReady);
      EXPECT_EQ(fleet.follow(restart, old), "web-1+");
    }
    fleet.set(old, ReplicaPhase::kDraining);
    EXPECT_EQ(fleet.follow(restart, wanted), drained) << "it is not ready yet";
    EXPECT_EQ(fleet.follow(restart, wanted), "");
  }
}

TEST(RollingRestartTest, WithoutReplicasThereIsNothingToDo) {
  Fleet fleet(0);
  RollingRestart restart;
  restart.begin(fleet.replicas());
  EXPECT_EQ(fleet.follow(restart, 0), "");
}

}  // namespace
}  // namespace bellows::test
