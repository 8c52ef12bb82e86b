#include "autoscaler/service/replica_usage.hpp"

#include <gtest/gtest.h>

namespace bellows::autoscaler::test {
namespace {

std::shared_ptr<cluster::Replica> replica(std::int64_t cpu, std::int64_t memory,
                                          ReplicaSize size = {}) {
  auto replica = std::make_shared<cluster::Replica>();
  replica->phase = cluster::ReplicaPhase::kReady;
  replica->usage = cluster::Usage{.cpu = Millicores{cpu}, .memory = Bytes{memory}};
  replica->size = size;
  return replica;
}

TEST(ReplicaUsage, IsTheMeanOfWhatEachUsesOfWhatItAsksFor) {
  cluster::Revision revision;
  revision.replicas = {replica(500, 100, {.cpu = Millicores{1000}, .memory = Bytes{400}}),
                       replica(500, 300, {.cpu = Millicores{500}, .memory = Bytes{400}})};
  EXPECT_EQ(usage_of(revision), (UsageShares{.cpu = 0.75, .memory = 0.5}));
}

TEST(ReplicaUsage, IsOfTheServicesRequestWhereNoneIsInEffect) {
  cluster::Revision revision;
  revision.settings.resources.cpu = Millicores{200};
  revision.replicas = {replica(50, 100)};
  EXPECT_EQ(usage_of(revision), (UsageShares{.cpu = 0.25, .memory = std::nullopt}));
}

TEST(ReplicaUsage, OfReplicasThatAreNotReadyOrNotMeasuredDoesNotCount) {
  cluster::Revision revision;
  revision.settings.resources.cpu = Millicores{200};
  const auto starting = replica(200, 0);
  starting->phase = cluster::ReplicaPhase::kStarting;
  const auto unknown = replica(0, 0);
  unknown->usage.reset();
  revision.replicas = {starting, unknown};
  EXPECT_EQ(usage_of(revision), UsageShares{});
  revision.replicas.push_back(replica(100, 0));
  EXPECT_EQ(usage_of(revision).cpu, 0.5);
}

}  // namespace
}  // namespace bellows::autoscaler::test
