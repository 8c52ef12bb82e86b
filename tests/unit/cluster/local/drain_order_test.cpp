#include "cluster/local/drain_order.hpp"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

namespace bellows::cluster {
namespace {

using Phase = ReplicaPhase;
using Names = std::vector<PodName>;

std::vector<Replica> replicas(std::initializer_list<Phase> phases) {
  std::vector<Replica> list;
  for (const Phase phase : phases) {
    list.push_back({.name = PodName("web-" + std::to_string(list.size() + 1)), .phase = phase});
  }
  return list;
}

Names names(std::initializer_list<const char*> texts) {
  return {texts.begin(), texts.end()};
}

TEST(DrainOrder, BeginsWithTheYoungest) {
  EXPECT_EQ(replicas_to_drain(replicas({Phase::kReady, Phase::kReady, Phase::kReady}), 1, {}),
            names({"web-3", "web-2"}));
}

TEST(DrainOrder, PutsDrainFirstBeforeTheYoungestInItsOrder) {
  const Names idle = names({"web-2", "web-1"});
  EXPECT_EQ(replicas_to_drain(replicas({Phase::kReady, Phase::kReady, Phase::kReady}), 2, idle),
            names({"web-2"}));
  EXPECT_EQ(replicas_to_drain(replicas({Phase::kReady, Phase::kReady, Phase::kReady}), 0, idle),
            names({"web-2", "web-1", "web-3"}));
}

TEST(DrainOrder, PutsUnreadyReplicasBeforeReadyOnes) {
  const Names idle = names({"web-1"});
  EXPECT_EQ(replicas_to_drain(replicas({Phase::kReady, Phase::kStarting, Phase::kFailed,
                                        Phase::kPending, Phase::kReady}),
                              0, idle),
            names({"web-3", "web-4", "web-2", "web-1", "web-5"}));
}

TEST(DrainOrder, PutsKeptReplicasLastThoughTheyAreNotReadyOrNamedFirst) {
  const auto four = replicas({Phase::kStarting, Phase::kReady, Phase::kReady, Phase::kReady});
  EXPECT_EQ(replicas_to_drain(four, 2, names({"web-2"}), names({"web-1", "web-2"})),
            names({"web-4", "web-3"}));
}

TEST(DrainOrder, LeavesOutReplicasThatAreDraining) {
  EXPECT_EQ(replicas_to_drain(replicas({Phase::kReady, Phase::kDraining, Phase::kReady}), 1,
                              names({"web-2"})),
            names({"web-3"}));
}

TEST(DrainOrder, IsEmptyIfNoReplicaIsTooMany) {
  const auto two = replicas({Phase::kReady, Phase::kReady});
  EXPECT_EQ(replicas_to_drain(two, 2, names({"web-1"})), Names{});
  EXPECT_EQ(replicas_to_drain(two, 9, names({"web-1"})), Names{});
  EXPECT_EQ(replicas_to_drain({}, 0, names({"ghost"})), Names{});
}

RC_GTEST_PROP(DrainOrderProperty, HasTheExcessReplicasUnreadyOnesFirst, ()) {
  const auto numbers =
      *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, static_cast<int>(Phase::kGone)));
  const auto want = *rc::gen::inRange(0, 20);
  std::vector<Replica> list;
  int staying = 0;
  for (const int number : numbers) {
    const auto phase = static_cast<Phase>(number);
    if (phase != Phase::kDraining) ++staying;
    list.push_back({.name = PodName("web-" + std::to_string(list.size() + 1)), .phase = phase});
  }
  const Names victims = replicas_to_drain(list, want, {});
  RC_ASSERT(static_cast<int>(victims.size()) == std::max(0, staying - want));
  bool ready_was_taken = false;
  for (const PodName& victim : victims) {
    const Phase phase = std::ranges::find(list, victim, &Replica::name)->phase;
    RC_ASSERT(phase == Phase::kReady || !ready_was_taken);
    ready_was_taken = ready_was_taken || phase == Phase::kReady;
  }
}

}  // namespace
}  // namespace bellows::cluster
