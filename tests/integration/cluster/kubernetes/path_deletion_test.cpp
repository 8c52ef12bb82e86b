// The path of a Revision that is deleted: its Service always has a ready endpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/integration/cluster/kubernetes/path_world.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::PathState;
using testing::HasSubstr;

TEST(PathOfADeletedRevision, GoesAtOnceWhileReplicasTakeTheRequests) {
  PathWorld world;
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort));
  world.server.store().remove(kRevisions, "shop", "web");
  EXPECT_TRUE(world.wait_for([&] { return world.slice().empty(); }));
  EXPECT_TRUE(world.wait_for([&] { return world.find("shop/web") == nullptr; }));
  EXPECT_TRUE(world.has(kDeployments, "web", R"("replicas":1)"));
}

/// A change of a slice comes right after the deletion, before the directory has joined what stands
/// for the Revision.
TEST(PathOfADeletedRevision, KeepsItsActivatorsUntilAReplicaIsReady) {
  PathWorld world;
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort)) << world.slice();
  world.route(true);
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.scale("shop/web", 0));
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->replicas.empty(); }));
  world.server.store().remove(kRevisions, "shop", "web");
  world.activators.set("b", false, "zone-b");
  bool is_always_served = true;
  EXPECT_TRUE(world.wait_for([&] {
    const bool has_pod = world.slice("web-abcde").find(R"("ready":true)") != std::string::npos;
    is_always_served = is_always_served && (has_pod || !world.slice().empty());
    return world.slice().empty();
  }));
  EXPECT_TRUE(is_always_served) << "the slice goes when a replica is ready";
  EXPECT_TRUE(world.has(kDeployments, "web", R"("replicas":1)"));
}

TEST(PathOfADeletedRevision, GoesAtZeroAfterItsReplicasAreBack) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  world.server.store().remove(kRevisions, "shop", "web");
  ASSERT_TRUE(world.wait_for([&] { return world.has(kDeployments, "web", R"("replicas":1)"); }));
  EXPECT_THAT(world.slice(), HasSubstr(kReady)) << "the activators hold the requests meanwhile";
  ASSERT_NE(world.find("shop/web"), nullptr) << "the activators have to know whom they serve";
  EXPECT_TRUE(world.find("shop/web")->is_paused());
  ASSERT_TRUE(world.wait_for([&] { return world.slice().empty(); }));
  EXPECT_TRUE(world.wait_for([&] { return world.find("shop/web") == nullptr; }));
}

TEST(PathOfADeletedRevision, IsFinishedByAnAutoscalerThatWasAway) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  const std::uint16_t port = world.find("shop/web")->path.activator_port;
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    co_await world.cluster.stop(sys::system_clock().now() + 5s);
  });
  world.server.store().remove(kRevisions, "shop", "web");
  cluster::KubernetesCluster next(world.io, sys::system_clock(), world.random, world.client,
                                  with_paths());
  next.start();
  ASSERT_TRUE(
      world.wait_for([&] { return next.revisions().find(RevisionId("shop/web")) != nullptr; }));
  EXPECT_EQ(next.revisions().find(RevisionId("shop/web"))->path.activator_port, port);
  ASSERT_TRUE(world.wait_for([&] { return world.has(kDeployments, "web", R"("replicas":1)"); }));
  EXPECT_TRUE(world.wait_for([&] { return world.slice().empty(); }));
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    co_await next.stop(sys::system_clock().now() + 5s);
  });
}

}  // namespace
}  // namespace bellows::test
