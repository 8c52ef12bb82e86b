#include "activator/core/pick_policy.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace bellows::activator {
namespace {

constexpr TimePoint kNow{std::chrono::hours(24)};

std::vector<std::unique_ptr<PodTracker>> pods(int count, std::int32_t slots) {
  std::vector<std::unique_ptr<PodTracker>> made;
  for (int i = 0; i < count; ++i) {
    ReplicaView view;
    view.name = PodName("web-" + std::to_string(i));
    made.push_back(std::make_unique<PodTracker>(view, slots));
  }
  return made;
}

TEST(LeastInFlightPick, TakesTheEmptiestReplica) {
  const auto replicas = pods(3, 0);
  for (int i = 0; i < 3; ++i) replicas[0]->take(kNow);
  for (int i = 0; i < 1; ++i) replicas[1]->take(kNow);
  for (int i = 0; i < 2; ++i) replicas[2]->take(kNow);
  EXPECT_EQ(LeastInFlight().pick(replicas, kNow), replicas[1].get());
}

TEST(LeastInFlightPick, EqualsTakeTurns) {
  const auto replicas = pods(4, 0);
  LeastInFlight policy;
  std::map<std::string, int> picked;
  for (int i = 0; i < 400; ++i) ++picked[policy.pick(replicas, kNow)->name().text()];
  for (const auto& [name, times] : picked) EXPECT_EQ(times, 100) << name;
}

TEST(LeastInFlightPick, FillsReplicasEvenlyAndThenFindsNone) {
  const auto replicas = pods(5, 3);
  LeastInFlight policy;
  for (int i = 0; i < 15; ++i) {
    PodTracker* pod = policy.pick(replicas, kNow);
    ASSERT_NE(pod, nullptr);
    EXPECT_EQ(pod->in_flight(), i / 5) << "request " << i;
    pod->take(kNow);
  }
  EXPECT_EQ(policy.pick(replicas, kNow), nullptr);
}

TEST(LeastInFlightPick, PassesOverTheOneSetAsideThoughItIsTheEmptiest) {
  const auto replicas = pods(2, 0);
  replicas[0]->give_back(PodOutcome::kFailed, replicas[0]->take(kNow), kNow);
  replicas[1]->take(kNow);
  LeastInFlight policy;
  EXPECT_EQ(policy.pick(replicas, kNow), replicas[1].get());
  EXPECT_EQ(policy.pick(replicas, kNow + kFirstSetAside), replicas[0].get());
}

TEST(LeastInFlightPick, FindsNobodyAmongNobody) {
  EXPECT_EQ(LeastInFlight().pick({}, kNow), nullptr);
}

TEST(LeastInFlightPick, GoesOnWhenReplicasHaveLeft) {
  auto replicas = pods(5, 0);
  LeastInFlight policy;
  for (int i = 0; i < 4; ++i) policy.pick(replicas, kNow);
  replicas.resize(2);
  EXPECT_NE(policy.pick(replicas, kNow), nullptr);
}

}  // namespace
}  // namespace bellows::activator
