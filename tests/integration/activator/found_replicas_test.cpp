#include "activator/service/found_replicas.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace bellows::activator {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimePoint kFound{30s};

cluster::Replica replica(const std::string& name, cluster::ReplicaPhase phase) {
  cluster::Replica made;
  made.name = PodName(name);
  made.phase = phase;
  made.address = {.host = "10.0.0.1", .port = 8012, .unix_path = {}};
  return made;
}

cluster::Revision revision_of(std::vector<cluster::Replica> replicas) {
  cluster::Revision revision;
  revision.id = RevisionId("web");
  revision.replicas = cluster::next_replicas(std::move(replicas), {});
  return revision;
}

std::vector<PodName> ready_of(const RevisionView& view) {
  std::vector<PodName> names;
  for (const ReplicaView& each : view.ready) names.push_back(each.name);
  return names;
}

TEST(FoundReplicas, AStartingReplicaTakesRequestsOnceItWasFound) {
  const cluster::Replica starting = replica("a", cluster::ReplicaPhase::kStarting);
  FoundReplicas found;
  EXPECT_FALSE(found.takes_requests(&starting));
  found.add(starting, kFound);
  EXPECT_TRUE(found.takes_requests(&starting));
  EXPECT_EQ(found.view_of(starting).ready, kFound);
  found.clear();
  EXPECT_FALSE(found.takes_requests(&starting));
}

TEST(FoundReplicas, AReadyReplicaNeedsNotBeFound) {
  const cluster::Replica ready = replica("a", cluster::ReplicaPhase::kReady);
  cluster::Replica without_address = ready;
  without_address.address = {};
  EXPECT_TRUE(FoundReplicas().takes_requests(&ready));
  EXPECT_FALSE(FoundReplicas().takes_requests(&without_address));
  EXPECT_FALSE(FoundReplicas().takes_requests(nullptr));
}

TEST(FoundReplicas, ARestartedOrMovedOneIsFoundAnew) {
  const cluster::Replica starting = replica("a", cluster::ReplicaPhase::kStarting);
  FoundReplicas found;
  found.add(starting, kFound);
  cluster::Replica restarted = starting;
  restarted.restarts = 1;
  cluster::Replica moved = starting;
  moved.address.port = 8013;
  EXPECT_FALSE(found.takes_requests(&restarted));
  EXPECT_FALSE(found.takes_requests(&moved));
  found.forget_ended(revision_of({restarted}));
  EXPECT_FALSE(found.takes_requests(&starting)) << "it was forgotten";
}

TEST(FoundReplicas, AViewHasThoseThatTookRequestsAndDoNotAnyMore) {
  const cluster::Replica first = replica("a", cluster::ReplicaPhase::kReady);
  const cluster::Replica second = replica("b", cluster::ReplicaPhase::kStarting);
  FoundReplicas found;
  found.add(second, kFound);
  const cluster::Revision before = revision_of({first, second});
  const RevisionView whole = found.view_since(nullptr, before, {});
  EXPECT_TRUE(whole.is_whole);
  EXPECT_THAT(ready_of(whole), ElementsAre(first.name, second.name));
  const cluster::Revision now =
      revision_of({replica("a", cluster::ReplicaPhase::kDraining), second});
  const RevisionView view = found.view_since(&before, now, {});
  EXPECT_FALSE(view.is_whole);
  EXPECT_THAT(view.ready, IsEmpty());
  EXPECT_THAT(view.gone, ElementsAre(first.name));
}

TEST(FoundReplicas, TheShareIsThatOfThePath) {
  const PodName self("b");
  cluster::Path path;
  EXPECT_EQ(share_of(path, self), ActivatorShare());
  path.activators = {PodName("a"), PodName("b")};
  EXPECT_EQ(share_of(path, self), (ActivatorShare{.activators = 2, .index = 1}));
  path.activators = {PodName("a")};
  EXPECT_EQ(share_of(path, self).index, -1) << "it is none of them";
}

TEST(FoundReplicas, AnOrderThatCannotBeCarriedOutIsAFailureUnlessAReplicaMayServe) {
  using Phase = cluster::ReplicaPhase;
  for (const auto& [phase, told] :
       {std::pair(Phase::kDraining, "away"), std::pair(Phase::kGone, "away"),
        std::pair(Phase::kPending, ""), std::pair(Phase::kStarting, "")}) {
    cluster::Revision revision = revision_of({replica("a", phase)});
    revision.requested = 1;
    revision.order_failure = "away";
    EXPECT_EQ(FoundReplicas().view_since(nullptr, revision, {}).order_failure, told);
  }
}

}  // namespace
}  // namespace bellows::activator
