// Which paths the autoscaler asks for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/autoscaler/autoscaler_world.hpp"

namespace bellows::autoscaler::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

cluster::Activator activator(const std::string& name, bool is_ready = true) {
  return {.name = PodName(name),
          .address = "10.0.0.1",
          .node = "node",
          .zone = "zone",
          .is_ready = is_ready};
}

config::RevisionSettings without_burst_room() {
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  settings.target_burst_capacity = 0;
  return settings;
}

TEST(PathOrders, NoneWhereTheClusterListsNoActivators) {
  AutoscalerWorld world;
  world.deploy(1);
  world.seconds(10, 1, 2);
  EXPECT_THAT(world.cluster.path_orders(), IsEmpty());
}

TEST(PathOrders, StraightWhileThereIsLoadAndThroughActivatorsBeforeZero) {
  AutoscalerWorld world;
  world.cluster.set_activators({activator("a"), activator("b"), activator("c", false)});
  world.deploy(1, without_burst_room());
  world.seconds(15, 1, 5);
  ASSERT_FALSE(world.cluster.path_orders().empty());
  EXPECT_FALSE(world.cluster.path_orders().back().is_through_activators);
  EXPECT_THAT(world.cluster.path_orders().back().activators,
              ElementsAre(PodName("a"), PodName("b")));
  const std::size_t orders = world.cluster.path_orders().size();
  world.seconds(20, 1, 5);
  EXPECT_EQ(world.cluster.path_orders().size(), orders) << "nothing has changed";
  world.cluster.truth("web").path.state = cluster::PathState::kDirect;
  world.cluster.publish();
  world.seconds(200, 1, 0);
  EXPECT_TRUE(world.cluster.path_orders().back().is_through_activators);
  EXPECT_EQ(world.requested(), 1) << "the path is not held yet";
  world.cluster.truth("web").path.state = cluster::PathState::kHeld;
  world.cluster.publish();
  world.seconds(60, 1, 0);
  EXPECT_EQ(world.requested(), 0);
}

/// The condition Routed quotes the reason, which otherwise says "no replica is ready" for as long
/// as activators stay in the path.
TEST(PathOrders, HaveTheNewReasonOfAPathThatStays) {
  AutoscalerWorld world;
  world.cluster.set_activators({activator("a")});
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  settings.target_burst_capacity = -1;
  world.deploy(1, settings);
  cluster::Revision& web = world.cluster.truth("web");
  cluster::Replica starting = *web.replicas[0];
  starting.phase = cluster::ReplicaPhase::kStarting;
  web.replicas[0] = std::make_shared<const cluster::Replica>(starting);
  world.cluster.publish();
  world.seconds(3, 0, 0);
  ASSERT_FALSE(world.cluster.path_orders().empty());
  EXPECT_EQ(world.cluster.path_orders().back().reason, "no replica is ready");
  world.serve(1);
  world.seconds(5, 1, 2);
  EXPECT_TRUE(world.cluster.path_orders().back().is_through_activators);
  EXPECT_EQ(world.cluster.path_orders().back().reason,
            "the replicas have too little room for a burst");
}

TEST(PathOrders, AnActivatorThatIsNoLongerReadyLeavesAtOnce) {
  AutoscalerWorld world;
  world.cluster.set_activators({activator("a"), activator("b")});
  world.deploy(1, without_burst_room());
  world.seconds(3, 1, 5);
  world.cluster.set_activators({activator("a"), activator("b", false)});
  world.run();
  EXPECT_THAT(world.cluster.path_orders().back().activators, ElementsAre(PodName("a")));
}

}  // namespace
}  // namespace bellows::autoscaler::test
