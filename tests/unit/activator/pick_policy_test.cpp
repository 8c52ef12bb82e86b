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

TEST(LeastLoadedPick, PrefersTheReplicaWithTheFewestRequests) {
  const auto replicas = pods(3, 0);
  for (int i = 0; i < 3; ++i) replicas[0]->acquire(kNow);
  for (int i = 0; i < 1; ++i) replicas[1]->acquire(kNow);
  for (int i = 0; i < 2; ++i) replicas[2]->acquire(kNow);
  SeededRandom random(1);
  EXPECT_EQ(LeastLoaded(random).pick(replicas, kNow), replicas[1].get());
}

TEST(LeastLoadedPick, UsesEqualReplicasInTurns) {
  const auto replicas = pods(4, 0);
  SeededRandom random(1);
  LeastLoaded policy(random);
  std::map<std::string, int> picked;
  for (int i = 0; i < 400; ++i) ++picked[policy.pick(replicas, kNow)->name().text()];
  for (const auto& [name, times] : picked) EXPECT_EQ(times, 100) << name;
}

TEST(LeastLoadedPick, FillsReplicasEvenlyAndThenFindsNone) {
  const auto replicas = pods(5, 3);
  SeededRandom random(1);
  LeastLoaded policy(random);
  for (int i = 0; i < 15; ++i) {
    PodTracker* pod = policy.pick(replicas, kNow);
    ASSERT_NE(pod, nullptr);
    EXPECT_EQ(pod->in_flight(), i / 5) << "request " << i;
    pod->acquire(kNow);
  }
  EXPECT_EQ(policy.pick(replicas, kNow), nullptr);
}

TEST(LeastLoadedPick, SkipsAnEjectedReplicaEvenIfItHasTheFewestRequests) {
  const auto replicas = pods(2, 0);
  replicas[0]->release(PodOutcome::kFailed, replicas[0]->acquire(kNow), kNow);
  replicas[1]->acquire(kNow);
  SeededRandom random(1);
  LeastLoaded policy(random);
  EXPECT_EQ(policy.pick(replicas, kNow), replicas[1].get());
  replicas[0]->begin_probe();
  replicas[0]->end_probe(true, kNow);
  EXPECT_EQ(policy.pick(replicas, kNow), replicas[0].get());
}

TEST(LeastLoadedPick, WorksAfterReplicasWereRemoved) {
  auto replicas = pods(5, 0);
  SeededRandom random(1);
  LeastLoaded policy(random);
  for (int i = 0; i < 4; ++i) policy.pick(replicas, kNow);
  replicas.resize(2);
  EXPECT_NE(policy.pick(replicas, kNow), nullptr);
}

TEST(LeastLoadedPick, CountsReportedRequestsOfOtherCallers) {
  const auto replicas = pods(2, 0);
  replicas[0]->record_reported_load(5, kNow);
  replicas[1]->acquire(kNow);
  SeededRandom random(1);
  LeastLoaded policy(random);
  EXPECT_EQ(policy.pick(replicas, kNow), replicas[1].get());
  EXPECT_EQ(policy.pick(replicas, kNow + 5 * kReportHalfLife), replicas[0].get()) << "long ago";
}

TEST(LeastLoadedPick, PrefersItsSliceOnlyAmongEquals) {
  const auto replicas = pods(4, 0);
  for (int i : {0, 1}) replicas[static_cast<std::size_t>(i)]->prefer(false);
  SeededRandom random(1);
  LeastLoaded policy(random);
  std::map<PodTracker*, int> picked;
  for (int i = 0; i < 4; ++i) {
    PodTracker* pod = policy.pick(replicas, kNow);
    ++picked[pod];
    pod->acquire(kNow);
    if (i == 1) {
      EXPECT_EQ(picked[replicas[2].get()], 1);
      EXPECT_EQ(picked[replicas[3].get()], 1);
    }
  }
  for (const auto& replica : replicas)
    EXPECT_EQ(picked[replica.get()], 1) << replica->granted().title;
}

TEST(LeastLoadedPick, BeginsAtARandomReplica) {
  std::map<std::string, int> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SeededRandom random(seed);
    const auto replicas = pods(4, 0);
    LeastLoaded policy(random);
    ++first[policy.pick(replicas, kNow)->name().text()];
  }
  EXPECT_EQ(first.size(), 4U) << "two activators without an index do not both begin at the first";
}

/// Picks and acquires a replica for each request. Returns how many requests each replica has.
std::vector<int> spread(PickPolicy& policy, Pods replicas, int requests) {
  for (int i = 0; i < requests; ++i) {
    if (PodTracker* pod = policy.pick(replicas, kNow)) pod->acquire(kNow);
  }
  std::vector<int> in_flight;
  for (const auto& pod : replicas) in_flight.push_back(pod->in_flight());
  return in_flight;
}

std::vector<int> spread_as_knative(std::int32_t container_concurrency, int count, int requests) {
  SeededRandom random(1);
  const auto replicas = pods(count, container_concurrency);
  const auto policy =
      make_pick_policy(config::LoadBalancing::kKnative, container_concurrency, random);
  return spread(*policy, replicas, requests);
}

TEST(KnativePick, PacksTheFirstReplicasUpToAConcurrencyOf3) {  // cases 88 and 89
  EXPECT_EQ(spread_as_knative(3, 5, 3), (std::vector<int>{3, 0, 0, 0, 0}));
  EXPECT_EQ(spread_as_knative(3, 5, 4), (std::vector<int>{3, 1, 0, 0, 0}));
  EXPECT_EQ(spread_as_knative(1, 2, 2), (std::vector<int>{1, 1}));
}

TEST(KnativePick, IsRoundRobinFromAConcurrencyOf4) {  // case 88
  EXPECT_EQ(spread_as_knative(5, 3, 3), (std::vector<int>{1, 1, 1}));
  EXPECT_EQ(spread_as_knative(4, 2, 6), (std::vector<int>{3, 3}));
  EXPECT_EQ(spread_as_knative(4, 2, 9), (std::vector<int>{4, 4})) << "the ninth finds none";
}

TEST(KnativePick, IsTheBetterOfTwoRandomOnesWithoutConcurrency) {
  const std::vector<int> in_flight = spread_as_knative(0, 4, 400);
  for (const int count : in_flight) EXPECT_NEAR(count, 100, 15);
}

TEST(RandomChoice2Pick, UsesAReplicaThatHasFreeSlotsAgain) {  // case 90
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SeededRandom random(seed);
    const auto replicas = pods(2, 0);
    RandomChoice2 policy(random);
    PodTracker* first = policy.pick(replicas, kNow);
    first->acquire(kNow);
    PodTracker* second = policy.pick(replicas, kNow);
    second->acquire(kNow);
    EXPECT_NE(first, second);
    second->release(PodOutcome::kResponded, 0, kNow);
    PodTracker* third = policy.pick(replicas, kNow);
    third->acquire(kNow);
    EXPECT_EQ(third, second);
    EXPECT_EQ(first->in_flight(), 1);
    EXPECT_EQ(second->in_flight(), 1);
  }
}

TEST(RandomChoice2Pick, IsRandomBetweenEquals) {
  SeededRandom random(7);
  const auto replicas = pods(3, 0);
  RandomChoice2 policy(random);
  std::map<std::string, int> picked;
  for (int i = 0; i < 3000; ++i) ++picked[policy.pick(replicas, kNow)->name().text()];
  for (const auto& [name, times] : picked) EXPECT_NEAR(times, 1000, 150) << name;
}

TEST(RandomChoice2Pick, FindsTheOnlyReplicaWithAFreeSlot) {
  SeededRandom random(3);
  const auto replicas = pods(50, 1);
  for (int i = 0; i < 50; ++i) {
    if (i != 33) replicas[static_cast<std::size_t>(i)]->acquire(kNow);
  }
  RandomChoice2 policy(random);
  EXPECT_EQ(policy.pick(replicas, kNow), replicas[33].get());
  replicas[33]->acquire(kNow);
  EXPECT_EQ(policy.pick(replicas, kNow), nullptr);
}

TEST(RoundRobinPick, SkipsFullAndEjectedReplicas) {
  const auto replicas = pods(4, 4);
  for (int i = 0; i < 4; ++i) replicas[1]->acquire(kNow);
  replicas[2]->release(PodOutcome::kFailed, replicas[2]->acquire(kNow), kNow);
  RoundRobin policy;
  EXPECT_EQ(spread(policy, replicas, 4), (std::vector<int>{2, 4, 0, 2}));
}

TEST(EveryPick, FindsNoneAmongNoReplicas) {
  SeededRandom random(1);
  using config::LoadBalancing;
  for (const LoadBalancing choice :
       {LoadBalancing::kLeastLoaded, LoadBalancing::kKnative, LoadBalancing::kRandomChoice2,
        LoadBalancing::kFirstAvailable, LoadBalancing::kRoundRobin}) {
    EXPECT_EQ(make_pick_policy(choice, 0, random)->pick({}, kNow), nullptr);
  }
}

}  // namespace
}  // namespace bellows::activator
