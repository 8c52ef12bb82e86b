#include "cluster/core/revision.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace bellows::cluster {
namespace {

Replica replica(const std::string& name, ReplicaPhase phase = ReplicaPhase::kReady) {
  return {.name = PodName(name), .phase = phase};
}

std::vector<ReplicaPtr> listed(std::vector<Replica> replicas) {
  return next_replicas(std::move(replicas), {});
}

TEST(RevisionWithReplicas, FindsThemByNameAndCountsThemByPhase) {
  Revision revision;
  revision.replicas =
      listed({replica("web-1"), replica("web-2", ReplicaPhase::kFailed), replica("web-3")});
  EXPECT_EQ(revision.count(ReplicaPhase::kReady), 2);
  EXPECT_EQ(revision.count(ReplicaPhase::kDraining), 0);
  ASSERT_NE(revision.find(PodName("web-2")), nullptr);
  EXPECT_EQ(revision.find(PodName("web-2"))->phase, ReplicaPhase::kFailed);
  EXPECT_EQ(revision.find(PodName("web-4")), nullptr);
  EXPECT_EQ(revision.find(PodName("web-10")), nullptr) << "between two that are there";
}

TEST(NextReplicas, AreSortedAndKeepThePointersOfThoseThatDidNotChange) {
  const auto before = listed({replica("web-1"), replica("web-2"), replica("web-4")});
  const auto next = next_replicas({replica("web-5"), replica("web-4"),
                                   replica("web-2", ReplicaPhase::kFailed), replica("web-3")},
                                  before);
  ASSERT_EQ(next.size(), 4u);
  EXPECT_EQ(next[0]->name, PodName("web-2"));
  EXPECT_NE(next[0], before[1]);
  EXPECT_EQ(next[1]->name, PodName("web-3"));
  EXPECT_EQ(next[2], before[2]);
  EXPECT_EQ(next[3]->name, PodName("web-5"));
}

TEST(ChangedReplicas, AreThoseWithAnotherPointerInOrderOfTheirNames) {
  const auto before = listed({replica("a"), replica("c"), replica("d"), replica("e")});
  const auto now = next_replicas(
      {replica("b"), replica("c"), replica("d", ReplicaPhase::kDraining), replica("f")}, before);
  const auto changes = changed_replicas(before, now);
  ASSERT_EQ(changes.size(), 5u);
  const auto is = [&](std::size_t i, const Replica* old, const Replica* fresh) {
    return changes[i].before == old && changes[i].now == fresh;
  };
  EXPECT_TRUE(is(0, before[0].get(), nullptr)) << "a has gone";
  EXPECT_TRUE(is(1, nullptr, now[0].get())) << "b is new";
  EXPECT_TRUE(is(2, before[2].get(), now[2].get())) << "d changed";
  EXPECT_TRUE(is(3, before[3].get(), nullptr)) << "e has gone";
  EXPECT_TRUE(is(4, nullptr, now[3].get())) << "f is new";
  EXPECT_TRUE(changed_replicas(now, now).empty());
  EXPECT_TRUE(changed_replicas({}, {}).empty());
}

TEST(RevisionsWithEqualReplicas, AreEqualWhetherOrNotTheyShareThem) {
  Revision web;
  web.id = RevisionId("web");
  web.replicas = listed({replica("web-1")});
  Revision copy = web;
  EXPECT_EQ(copy, web);
  copy.replicas = listed({replica("web-1")});
  EXPECT_EQ(copy, web);
}

TEST(RevisionsThatDifferInOneField, AreNotEqual) {
  Revision web;
  web.id = RevisionId("web");
  web.replicas = listed({replica("web-1")});
  const std::vector<std::function<void(Revision&)>> changes = {
      [](Revision& other) { other.id = RevisionId("api"); },
      [](Revision& other) { other.route.host = "web.example"; },
      [](Revision& other) { other.settings.max_scale = 7; },
      [](Revision& other) { other.requested = 1; },
      [](Revision& other) { other.state = RevisionState::kPaused; },
      [](Revision& other) { other.replicas.clear(); },
      [](Revision& other) { other.replicas = listed({replica("web-2")}); },
      [](Revision& other) { other.failure_message = "boom"; },
      [](Revision& other) { other.saved_state = "{}"; },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Revision other = web;
    changes[i](other);
    EXPECT_FALSE(other == web) << i;
  }
}

TEST(ReplicaPhaseText, NamesEachPhase) {
  EXPECT_EQ(to_string(ReplicaPhase::kPending), "pending");
  EXPECT_EQ(to_string(ReplicaPhase::kStarting), "starting");
  EXPECT_EQ(to_string(ReplicaPhase::kReady), "ready");
  EXPECT_EQ(to_string(ReplicaPhase::kFailed), "failed");
  EXPECT_EQ(to_string(ReplicaPhase::kDraining), "draining");
  EXPECT_EQ(to_string(ReplicaPhase::kGone), "gone");
}

TEST(RevisionStateText, NamesEachState) {
  EXPECT_EQ(to_string(RevisionState::kActive), "active");
  EXPECT_EQ(to_string(RevisionState::kPaused), "paused");
  EXPECT_EQ(to_string(RevisionState::kRetired), "retired");
}

}  // namespace
}  // namespace bellows::cluster
