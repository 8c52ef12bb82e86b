// Occupied replicas are not removed, whatever policy decides.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "autoscaler/explain/catalogue.hpp"
#include "tests/integration/autoscaler/autoscaler_world.hpp"

namespace bellows::autoscaler {
namespace {

using test::AutoscalerWorld;
using testing::ElementsAre;

/// `seconds` in which replica 2 of `replicas` says that it is occupied and nobody calls.
void quiet(AutoscalerWorld& world, int seconds, PodCount replicas) {
  for (int i = 0; i < seconds; ++i) {
    world.clock.advance(std::chrono::seconds(1));
    for (PodCount pod = 1; pod <= replicas; ++pod) {
      world.report_occupied("web-" + std::to_string(pod), pod == 2);
    }
    world.service->tick();
    world.run();
  }
}

TEST(OccupiedReplicas, StayUnderTheConcurrencyDeciderToo) {
  AutoscalerWorld world;
  world.deploy(3);
  quiet(world, 200, 3);
  ASSERT_FALSE(world.cluster.orders().empty());
  const cluster::ScaleOrder& order = world.cluster.orders().back().order;
  EXPECT_EQ(order.desired, 1) << "without a request it would be 0";
  EXPECT_THAT(order.keep, ElementsAre(PodName("web-2")));
  EXPECT_EQ(order.drain_first.back(), PodName("web-2"));
  EXPECT_EQ(world.last().rule, Rule::kOccupied);
}

TEST(OccupiedReplicas, StayWhileTheirProbeFails) {
  AutoscalerWorld world;
  world.deploy(3);
  quiet(world, 5, 3);
  cluster::Revision& web = world.cluster.truth("web");
  cluster::Replica starting = *web.replicas[1];
  starting.phase = cluster::ReplicaPhase::kStarting;
  web.replicas[1] = std::make_shared<const cluster::Replica>(starting);
  world.cluster.publish();
  quiet(world, 200, 3);
  const cluster::ScaleOrder& order = world.cluster.orders().back().order;
  EXPECT_EQ(order.desired, 1);
  EXPECT_THAT(order.keep, ElementsAre(PodName("web-2")));
}

TEST(OccupiedReplicas, ThatAreServingAreKeptUnderOtherPolicies) {
  AutoscalerWorld world;
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  settings.policy = "buffer";
  settings.autoscaling = R"({"buffer":{"amount":1}})";
  world.deploy(4, settings);
  for (int i = 0; i < 20; ++i) {
    world.clock.advance(std::chrono::seconds(1));
    for (const char* pod : {"web-1", "web-2", "web-4"}) world.report(pod, 0);
    world.report("web-3", 1);
    world.service->tick();
    world.run();
  }
  const cluster::ScaleOrder& order = world.cluster.orders().back().order;
  EXPECT_EQ(order.desired, 2) << "one is serving, one free";
  EXPECT_THAT(order.keep, ElementsAre(PodName("web-3")));
}

TEST(OccupiedReplicas, MayBeThoseThatHaveNotReportedSinceTheAutoscalerBegan) {
  AutoscalerWorld world;
  config::RevisionSettings settings = AutoscalerWorld::ten_per_replica();
  settings.policy = "buffer";
  settings.autoscaling = R"({"buffer":{"amount":1}})";
  world.deploy(4, settings);
  world.start("");
  world.pass(std::chrono::seconds(2));
  EXPECT_EQ(world.last().replicas, 4);
  EXPECT_EQ(explain::reason_text(world.last()),
            "4 because 4 replicas have not reported yet: not removed; without that it would be 1");
  quiet(world, 4, 4);
  EXPECT_EQ(world.last().replicas, 2) << "web-2 says that it is occupied";
  EXPECT_THAT(world.cluster.orders().back().order.keep, ElementsAre(PodName("web-2")));
}

TEST(OccupiedReplicas, ThatStopReportingStayOccupied) {
  AutoscalerWorld world;
  world.deploy(2);
  quiet(world, 3, 2);
  for (int i = 0; i < 300; ++i) world.pass(std::chrono::seconds(1));
  EXPECT_GE(world.last().replicas, 1);
  for (const auto& ordered : world.cluster.orders()) EXPECT_GE(ordered.order.desired, 1);
}

}  // namespace
}  // namespace bellows::autoscaler
