#include "cluster/api.hpp"

#include <gtest/gtest.h>

namespace bellows::cluster {
namespace {

TEST(RevisionWithReplicas, FindsThemByNameAndCountsThemByPhase) {
  Revision revision;
  revision.replicas = {{.name = PodName("web-1"), .phase = ReplicaPhase::kReady},
                       {.name = PodName("web-2"), .phase = ReplicaPhase::kFailed},
                       {.name = PodName("web-3"), .phase = ReplicaPhase::kReady}};
  EXPECT_EQ(revision.count(ReplicaPhase::kReady), 2);
  EXPECT_EQ(revision.count(ReplicaPhase::kDraining), 0);
  ASSERT_NE(revision.find(PodName("web-2")), nullptr);
  EXPECT_EQ(revision.find(PodName("web-2"))->phase, ReplicaPhase::kFailed);
  EXPECT_EQ(revision.find(PodName("web-4")), nullptr);
}

TEST(SnapshotWithRevisions, FindsThemById) {
  Snapshot snapshot;
  auto web = std::make_shared<Revision>();
  web->id = RevisionId("web");
  snapshot.revisions = {web};
  EXPECT_EQ(snapshot.find(RevisionId("web")), web.get());
  EXPECT_EQ(snapshot.find(RevisionId("api")), nullptr);
}

TEST(ReplicaPhaseText, NamesEachPhase) {
  EXPECT_EQ(to_string(ReplicaPhase::kPending), "pending");
  EXPECT_EQ(to_string(ReplicaPhase::kStarting), "starting");
  EXPECT_EQ(to_string(ReplicaPhase::kReady), "ready");
  EXPECT_EQ(to_string(ReplicaPhase::kFailed), "failed");
  EXPECT_EQ(to_string(ReplicaPhase::kDraining), "draining");
  EXPECT_EQ(to_string(ReplicaPhase::kGone), "gone");
}

}  // namespace
}  // namespace bellows::cluster
