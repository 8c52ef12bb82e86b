// Bellows leaves a cluster, and activators leave paths: each Service always has a ready endpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/integration/cluster/kubernetes/path_world.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::PathState;
using testing::HasSubstr;
using testing::Not;

const kubernetes::Resource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

cluster::KubernetesOptions in_a_pod() {
  cluster::KubernetesOptions options = with_paths();
  options.own_deployment = "bellows-system/bellows-autoscaler";
  return options;
}

/// A PathWorld whose server has the definition of Revisions and the Deployment of the autoscaler.
class LeavingWorld : public PathWorld {
 public:
  explicit LeavingWorld(int replicas, FakeApiServerOptions server_options = {})
      : PathWorld(replicas, std::move(server_options), in_a_pod()) {
    server.store().add_kind({.resource = kDefinitions,
                             .kind = "CustomResourceDefinition",
                             .is_namespaced = false,
                             .has_status = true,
                             .has_scale = false,
                             .other_versions = {}});
    define("");
    apply(server, {.ns = "bellows-system", .name = "bellows-autoscaler", .replicas = 0});
  }
  /// `meta`: further members of its metadata with a comma before each, or empty.
  void define(const std::string& meta) {
    server.store().put(kDefinitions, R"({"apiVersion":"apiextensions.k8s.io/v1","kind":)"
                                     R"("CustomResourceDefinition","metadata":{"name":)"
                                     R"("revisions.bellows.dev","uid":"uid-crd")" +
                                         meta + "}}");
  }
  /// As `kubectl delete namespace bellows-system` does at once.
  void delete_namespace() {
    server.store().put(kubernetes::namespaces(),
                       R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":)"
                       R"("bellows-system","deletionTimestamp":"2026-11-29T09:00:00Z"}})");
  }
  /// Until the cluster has heard of it: it hears of what comes later.
  bool remove_own_deployment() {
    server.store().remove(kDeployments, "bellows-system", "bellows-autoscaler");
    apply(server, {.name = "later", .replicas = 1});
    apply_revision(server, "shop", "later");
    return wait_for([&] {
      const auto later = find("shop/later");
      return later != nullptr && later->requested == 1;
    });
  }
  /// As at SIGTERM.
  void end(Duration limit = 20s) {
    run_task<void>(io, [&]() -> http::Awaitable<void> {
      co_await cluster.leave_if_uninstalled(sys::system_clock().now() + limit);
    });
  }
  bool has_replica() { return has(kDeployments, "web", R"("replicas":1)"); }
};

TEST(BellowsLeaves, SlicesBelongToTheDefinitionSoThatTheyGoWithIt) {
  LeavingWorld world(1);
  world.begin();
  EXPECT_TRUE(
      world.wait_slice(R"("kind":"CustomResourceDefinition","name":"revisions.bellows.dev",)"
                       R"("uid":"uid-crd")"))
      << world.slice();
}

TEST(BellowsLeaves, ASuccessorThatDoesNotKnowTheDefinitionYetLeavesTheOwnerAsItIs) {
  LeavingWorld world(1);
  world.begin();
  ASSERT_TRUE(world.wait_slice("uid-crd"));
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    co_await world.cluster.stop(sys::system_clock().now() + 5s);
  });
  const std::string before = world.slice();
  world.server.fail({.target = "/customresourcedefinitions", .times = 1000, .code = 403});
  cluster::KubernetesCluster next(world.io, sys::system_clock(), world.random, world.client,
                                  in_a_pod());
  next.start();
  const RevisionId web("shop/web");
  ASSERT_TRUE(world.wait_for([&] {
    const auto listed = next.revisions().find(web);
    return listed != nullptr && listed->path.activator_port != 0;
  }));
  EXPECT_EQ(world.slice(), before);
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    co_await next.stop(sys::system_clock().now() + 5s);
  });
}

TEST(BellowsLeaves, WhileTheDefinitionIsBeingDeletedNothingStaysAtZero) {
  LeavingWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.wait_slice("uid-crd"));
  world.define(R"(,"deletionTimestamp":"2026-11-29T09:00:00Z")");
  ASSERT_TRUE(world.wait_for([&] { return world.has_replica(); }));
  EXPECT_TRUE(world.find("shop/web")->is_paused()) << "nobody orders zero again";
  EXPECT_FALSE(world.scale("shop/web", 0));
  EXPECT_TRUE(world.wait_for([&] { return world.slice().empty(); }));
  EXPECT_TRUE(world.has_replica());
}

TEST(BellowsLeaves, WhileTheNamespaceOfItsActivatorsIsBeingDeletedNoPathIsLeft) {
  LeavingWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.wait_slice("uid-crd"));
  world.delete_namespace();
  ASSERT_TRUE(world.wait_for([&] { return world.has_replica(); }));
  EXPECT_TRUE(world.wait_for([&] { return world.slice().empty(); }));
  EXPECT_TRUE(world.has_replica());
  EXPECT_TRUE(world.find("shop/web")->is_paused()) << "nobody orders zero again";
}

TEST(BellowsLeaves, ThePathsBeforeItsAccountGoesThoughNoPodStarts) {
  LeavingWorld world(0, {.minor_version = 32});
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  world.server.fail({.method = "PATCH", .target = "/scale", .times = 1000, .code = 403});
  world.delete_namespace();
  EXPECT_TRUE(world.wait_for([&] { return world.slice().empty(); })) << "its activators go";
}

TEST(BellowsLeaves, WhenTheServiceIsGoneItsSliceIsDeletedAsTheServiceIsNotItsOwner) {
  LeavingWorld world(1);
  world.begin();
  ASSERT_TRUE(world.wait_slice("uid-crd"));
  world.server.store().remove(kubernetes::services(), "shop", "web");
  EXPECT_TRUE(world.wait_for([&] { return world.slice().empty(); }));
}

TEST(AnAutoscalerThatEnds, GivesTheClusterBackIfItsDeploymentIsDeleted) {
  LeavingWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.remove_own_deployment());
  world.end();
  EXPECT_TRUE(world.has_replica()) << "replicas first";
  EXPECT_EQ(world.slice(), "") << "then the path";
  EXPECT_FALSE(world.object(kRevisions, "web").empty()) << "who wrote it may install again";
}

TEST(AnAutoscalerThatEnds, GivesTheClusterBackIfItsNamespaceIsBeingDeleted) {
  LeavingWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  world.delete_namespace();
  ASSERT_TRUE(world.wait_for([&] { return world.has_replica(); }));
  world.end();
  EXPECT_EQ(world.slice(), "");
}

TEST(AnAutoscalerThatEnds, LeavesPathsToTheNextOneWhileItsDeploymentIsThere) {
  LeavingWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  world.end();
  EXPECT_FALSE(world.has_replica());
  EXPECT_THAT(world.slice(), HasSubstr(kReady));
}

TEST(AnAutoscalerThatEnds, GivesUpAtItsDeadline) {
  LeavingWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.remove_own_deployment());
  world.server.fail({.method = "PATCH", .target = "/scale", .times = 1000, .code = 403});
  world.end(300ms);
  EXPECT_THAT(world.slice(), HasSubstr(kReady)) << "no pod would take the requests";
}

TEST(AnAutoscalerThatEnds, StopsGivingBackWhenItsDeploymentIsMadeAgain) {
  LeavingWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.remove_own_deployment());
  world.server.fail({.method = "PATCH", .target = "/scale", .times = 1000, .code = 403});
  apply(world.server, {.ns = "bellows-system", .name = "bellows-autoscaler", .replicas = 0});
  world.end(1h);
  EXPECT_THAT(world.slice(), HasSubstr(kReady));
}

/// An activator's view of the cluster while the autoscaler is away.
class LoneActivator {
 public:
  explicit LoneActivator(PathWorld& world) : world_(world) {
    run_task<void>(world.io, [&]() -> http::Awaitable<void> {
      co_await world.cluster.stop(sys::system_clock().now() + 5s);
    });
    cluster::KubernetesOptions options = with_paths();
    options.role = cluster::KubernetesRole::kActivator;
    cluster_ = std::make_unique<cluster::KubernetesCluster>(
        world.io, sys::system_clock(), world.random, world.client, std::move(options));
    cluster_->start();
  }
  ~LoneActivator() {
    run_task<void>(world_.io, [&]() -> http::Awaitable<void> {
      co_await cluster_->stop(sys::system_clock().now() + 5s);
    });
  }
  bool knows_web() {
    return world_.wait_for(
        [&] { return cluster_->revisions().find(RevisionId("shop/web")) != nullptr; });
  }
  bool knows(std::size_t activators) {
    return world_.wait_for([&] { return cluster_->activators().size() == activators; });
  }
  cluster::KubernetesCluster& operator*() { return *cluster_; }

 private:
  PathWorld& world_;
  std::unique_ptr<cluster::KubernetesCluster> cluster_;
};

TEST(AnActivatorThatEnds, LeavesThePathsWhereAnotherOneStays) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.wait_slice(R"("name":"a")"));
  ASSERT_TRUE(world.wait_slice(R"("name":"b")"));
  LoneActivator ending(world);
  ASSERT_TRUE(ending.knows_web());
  (*ending).hand_over(PodName("a"));
  EXPECT_TRUE(
      world.wait_for([&] { return world.slice().find(R"("name":"a")") == std::string::npos; }));
  EXPECT_THAT(world.slice(), HasSubstr(R"("name":"b")"));
  EXPECT_THAT(world.slice(), HasSubstr(kReady));
}

TEST(AnActivatorThatEnds, IsReplacedByThoseThatCameMeanwhileIfItIsTheLastOne) {
  PathWorld world(0);
  world.activators.remove("b");
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  LoneActivator ending(world);
  ASSERT_TRUE(ending.knows_web());
  world.activators.set("c", true);
  ASSERT_TRUE(ending.knows(2));
  (*ending).hand_over(PodName("a"));
  EXPECT_TRUE(world.wait_slice(R"("name":"c")")) << world.slice();
  EXPECT_THAT(world.slice(), Not(HasSubstr(R"("name":"a")")));
  EXPECT_THAT(world.slice(), HasSubstr(kReady));
}

/// As after `kubectl delete pod --force` of all activators.
TEST(ActivatorsWithoutAnAutoscaler, TakeThePlacesOfThoseThatAreGone) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.wait_slice(R"("name":"b")"));
  LoneActivator activator(world);
  ASSERT_TRUE(activator.knows_web());
  world.activators.remove("a");
  world.activators.remove("b");
  world.activators.set("c", true);
  world.activators.set("d", false);
  EXPECT_TRUE(world.wait_slice(R"("name":"c")")) << world.slice();
  EXPECT_THAT(world.slice(), HasSubstr(kReady));
  for (const char* name : {R"("name":"a")", R"("name":"b")", R"("name":"d")"}) {
    EXPECT_THAT(world.slice(), Not(HasSubstr(name)));
  }
}

TEST(ActivatorsWithoutAnAutoscaler, BecomeTheLastResortInPlaceOfThoseThatAreGone) {
  PathWorld world(1);
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort));
  LoneActivator activator(world);
  ASSERT_TRUE(activator.knows_web());
  world.activators.remove("a");
  world.activators.remove("b");
  world.activators.set("c", true);
  EXPECT_TRUE(world.wait_slice(R"("name":"c")")) << world.slice();
  EXPECT_THAT(world.slice(), HasSubstr(kLastResort));
  EXPECT_THAT(world.slice(), Not(HasSubstr(kReady)));
}

TEST(AnActivatorThatEnds, ServesARevisionForAWhileAfterItsLastSliceIsGone) {
  PathWorld world(1);
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort));
  LoneActivator activator(world);
  ASSERT_TRUE(activator.knows_web());
  const std::uint16_t port =
      (*activator).revisions().find(RevisionId("shop/web"))->path.activator_port;
  world.server.store().remove(kRevisions, "shop", "web");
  world.server.store().remove(endpoint_slices(), "shop", "web-bellows");
  const RevisionId web("shop/web");
  ASSERT_TRUE(world.wait_for([&] {
    const auto listed = (*activator).revisions().find(web);
    return listed != nullptr && listed->is_paused() && listed->path.activators.empty();
  }));
  EXPECT_EQ((*activator).revisions().find(web)->path.activator_port, port);
}

}  // namespace
}  // namespace bellows::test
