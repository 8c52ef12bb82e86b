#include "cluster/kubernetes/io/kubernetes_cluster.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cluster/kubernetes/io/requests.hpp"
#include "tests/integration/cluster/kubernetes/kubernetes_world.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::ReplicaPhase;
using cluster::RevisionState;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kLabelled = R"({"bellows.dev/autoscale":"true"})";

/// The message of the condition is part of the Revision's text.
bool tells(KubernetesWorld& world, const std::string& part) {
  return world.wait_for([&] { return world.has(kRevisions, "web", part); });
}

cluster::Report report(PodCount desired) {
  cluster::Report made;
  made.desired = desired;
  made.serving = desired > 0 ? cluster::ServingState::kActive : cluster::ServingState::kReserve;
  made.mode = "stable";
  made.reason = "concurrency 3.2 above target 2";
  made.saved_state = R"({"version":2})";
  made.learned_target = 37.5;
  return made;
}

TEST(KubernetesCluster, ALabelledDeploymentIsAdoptedAndReleasedWhenTheLabelIsTakenAway) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 2, .labels = kLabelled});
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  EXPECT_TRUE(world.has(kRevisions, "web", "ownerReferences"));
  ASSERT_TRUE(
      world.wait_for([&] { return world.find("shop/web")->count(ReplicaPhase::kReady) == 2; }));
  ASSERT_TRUE(world.scale("shop/web", 0).has_value());
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->replicas.empty(); }));
  apply(world.server, {.replicas = 0});
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") == nullptr; }));
  EXPECT_EQ(world.object(kRevisions, "web"), "");
  EXPECT_TRUE(world.has(kubernetes::deployments(), "web", R"("replicas":2)"))
      << "at zero it gets its number back";
  ASSERT_TRUE(world.wait_for([&] { return world.events().find("Released") != std::string::npos; }));
  EXPECT_THAT(world.events(), HasSubstr("its label bellows.dev/autoscale is gone"));
  EXPECT_THAT(world.events(), HasSubstr("it has its 2 replicas from before back"));
}

TEST(KubernetesCluster, OnlyAServiceThatStaysMissingHasAnEvent) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 1, .labels = kLabelled});
  world.start();
  const RevisionId web("shop/web");
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  ASSERT_TRUE(world.wait_for([&] { return world.has(kRevisions, "web", "ServiceNotFound"); }));
  EXPECT_THAT(world.events(), Not(HasSubstr("ServiceNotFound")))
      << "the command that made the Deployment may be about to make the Service";
  apply_service(world.server, "shop", "web");
  ASSERT_TRUE(world.wait_for([&] { return world.has(kRevisions, "web", "Service web"); }));
  world.server.store().remove(kubernetes::services(), "shop", "web");
  ASSERT_TRUE(world.wait_for([&] { return world.has(kRevisions, "web", "ServiceNotFound"); }));
  ASSERT_TRUE(world.wait_for([&] {
    world.cluster.report(web, report(1));
    return world.events().find("ServiceNotFound") != std::string::npos;
  }));
}

TEST(KubernetesCluster, ALabelledDeploymentWhoseNameIsTakenIsToldSoAndAdoptedWhenItIsFree) {
  KubernetesWorld world;
  apply(world.server, {.name = "api"});
  world.server.store().put(kRevisions,
                           R"({"apiVersion":"bellows.dev/v1alpha1","kind":"Revision","metadata":)"
                           R"({"namespace":"shop","name":"web"},"spec":{"scaleTargetRef":)"
                           R"({"apiVersion":"apps/v1","kind":"Deployment","name":"api"}}})");
  apply(world.server, {.labels = kLabelled});
  world.start();
  ASSERT_TRUE(world.wait_for(
      [&] { return world.events().find("the Revision web scales") != std::string::npos; }));
  EXPECT_THAT(world.events(), HasSubstr("NotAdopted"));
  world.server.store().remove(kRevisions, "shop", "web");
  EXPECT_TRUE(world.wait_for([&] { return world.has(kRevisions, "web", "ownerReferences"); }));
}

TEST(KubernetesCluster, TellsWhatWasDecidedAndASuccessorFindsIt) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 1});
  apply_service(world.server, "shop", "web");
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] {
    return world.find("shop/web") && world.find("shop/web")->count(ReplicaPhase::kReady) == 1;
  }));
  world.cluster.report(RevisionId("shop/web"), report(1));
  ASSERT_TRUE(tells(world, "ReplicasReady"));
  for (const std::string part :
       {R"("desiredReplicas":1)", R"("mode":"stable")", "concurrency 3.2 above target 2",
        "ValidMetricFound", R"("observedGeneration":1)", "Service web"}) {
    EXPECT_TRUE(world.has(kRevisions, "web", part)) << part;
  }
  EXPECT_TRUE(
      world.wait_for([&] { return world.find("shop/web")->saved_state == R"({"version":2})"; }));
  EXPECT_EQ(world.find("shop/web")->learned_target, 37.5);
}

TEST(KubernetesCluster, AStatusThatIsAsToldIsNotWrittenAgain) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 1});
  apply_service(world.server, "shop", "web");
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  world.cluster.report(RevisionId("shop/web"), report(1));
  ASSERT_TRUE(tells(world, "ReplicasReady"));
  const std::size_t before = world.server.count("/revisions/web/status");
  for (int i = 0; i < 20; ++i) world.cluster.report(RevisionId("shop/web"), report(1));
  ASSERT_TRUE(world.scale("shop/web", 2).has_value());
  ASSERT_TRUE(tells(world, R"("readyReplicas":2)"));
  EXPECT_LE(world.server.count("/revisions/web/status"), before + 2);
}

TEST(KubernetesCluster, ABadSettingIsAConditionAndAnEvent) {
  KubernetesWorld world;
  apply(world.server, {.annotations = R"({"bellows.dev/min-scale":"-1"})"});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(tells(world, "ConfigInvalid"));
  EXPECT_TRUE(world.has(kRevisions, "web", "want a whole number from 0 to 100000000"));
  ASSERT_TRUE(world.wait_for([&] { return world.server.count("POST /api/v1/") > 0; }));
  EXPECT_THAT(world.events(), HasSubstr("bellows.dev/min-scale"));
}

TEST(KubernetesCluster, AnotherBadSettingTakesThePlaceOfTheFirstInTheCondition) {
  KubernetesWorld world;
  apply(world.server, {.annotations = R"({"bellows.dev/min-scale":"-1"})"});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(tells(world, "annotation bellows.dev/min-scale"));
  apply(world.server, {.annotations = R"({"bellows.dev/window":"xyz"})"});
  EXPECT_TRUE(tells(world, "annotation bellows.dev/window"));
  EXPECT_FALSE(world.has(kRevisions, "web", "annotation bellows.dev/min-scale"));
}

TEST(KubernetesCluster, ASuccessfulOrderIsAnEventWithItsReason) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 1});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  ASSERT_TRUE(world.scale("shop/web", 3).has_value());
  EXPECT_TRUE(world.wait_for(
      [&] { return world.events().find("New size: 3; reason: the test") != std::string::npos; }));
}

TEST(KubernetesCluster, ASecondWriterIsAConflictAndItsNumberStays) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 1});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  apply(world.server, {.replicas = 5});  // the list does not show it yet
  const auto ordered = world.scale("shop/web", 3);
  ASSERT_FALSE(ordered.has_value());
  EXPECT_EQ(ordered.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(to_string(ordered.error()), HasSubstr("asks for 5 replicas now"));
  EXPECT_TRUE(world.has(kubernetes::deployments(), "web", R"("replicas":5)"));
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->requested == 5; }));
  EXPECT_TRUE(world.scale("shop/web", 3).has_value()) << "with the new list";
  EXPECT_THAT(world.server.requests(),
              Not(Contains(AllOf(StartsWith("GET "), HasSubstr("/scale")))))
      << "a right that deploy/rbac.yaml does not give";
}

TEST(KubernetesCluster, OneThatSetsTheNumberBackIsNamedAfterTheThirdTime) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 1});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  const auto set_back = [&] {
    const FakeApiWrite write{.content_type = "application/merge-patch+json",
                             .body = R"({"spec":{"replicas":1}})",
                             .manager = "argocd-controller"};
    world.server.store().patch(*world.server.store().find_kind(kubernetes::deployments()), "shop",
                               "web", "", write);
  };
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(world.scale("shop/web", 4).has_value()) << i;
    ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->requested == 4; }));
    set_back();
    ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->requested == 1; }));
  }
  EXPECT_EQ(world.scale("shop/web", 4).error().kind(), ErrorKind::kConflict);
  EXPECT_TRUE(tells(world, "argocd-controller"));
}

TEST(KubernetesCluster, NothingIsWrittenBesideAHorizontalPodAutoscaler) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 2});
  apply_revision(world.server, "shop", "web");
  const auto scaler =
      *world.server.store().find_kind({"autoscaling", "v2", "horizontalpodautoscalers"});
  const std::string text =
      R"({"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"namespace":)"
      R"("shop","name":"cpu"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":)"
      R"("Deployment","name":"web"},"minReplicas":2}})";
  world.server.store().put(scaler.resource, text);
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  const auto ordered = world.scale("shop/web", 5);
  ASSERT_FALSE(ordered.has_value());
  EXPECT_THAT(to_string(ordered.error()), HasSubstr("HorizontalPodAutoscaler cpu"));
  EXPECT_EQ(world.server.count("/scale"), 0U);
  EXPECT_TRUE(tells(world, "OtherAutoscaler"));

  apply_revision(world.server, "shop", "web", R"(,"with":"hpa")");
  ASSERT_TRUE(
      world.wait_for([&] { return world.find("shop/web")->state == RevisionState::kActive; }));
  EXPECT_TRUE(world.scale("shop/web", 5).has_value()) << "left to the HorizontalPodAutoscaler";
  EXPECT_EQ(world.server.count("/scale"), 0U);
  ASSERT_TRUE(world.scale("shop/web", 0).has_value());
  EXPECT_TRUE(world.has(kubernetes::deployments(), "web", R"("replicas":0)"));
}

TEST(KubernetesCluster, AScaleDownMarksItsVictimsOnlyWhereTheServerLooksAtIt) {
  for (const int minor : {20, 36}) {
    FakeApiServerOptions options;
    options.minor_version = minor;
    KubernetesWorld world(options);
    apply(world.server, {.replicas = 3});
    apply_revision(world.server, "shop", "web");
    world.start();
    ASSERT_TRUE(world.wait_for([&] {
      return world.find("shop/web") && world.find("shop/web")->count(ReplicaPhase::kReady) == 3;
    }));
    ASSERT_TRUE(world.scale("shop/web", 2).has_value());
    EXPECT_EQ(world.server.count("PATCH /api/v1/namespaces/shop/pods/"), minor < 22 ? 0U : 1U);
  }
}

/// Two pods are marked first, so the Revision names another Deployment before the number is
/// written.
TEST(KubernetesCluster, AnOrderForOneTargetIsNotWrittenToTheNextOne) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 3});
  apply(world.server, {.name = "api", .replicas = 3});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] {
    return world.find("shop/web") && world.find("shop/web")->count(ReplicaPhase::kReady) == 3;
  }));
  std::string moved = world.object(kRevisions, "web");
  const std::string target = R"("kind":"Deployment","name":"web")";
  ASSERT_THAT(moved, HasSubstr(target));
  moved.replace(moved.find(target), target.size(), R"("kind":"Deployment","name":"api")");
  world.server.store().put(kRevisions, moved);
  const auto ordered = world.scale("shop/web", 1);
  ASSERT_FALSE(ordered.has_value());
  EXPECT_EQ(ordered.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(to_string(ordered.error()), HasSubstr("its target was replaced"));
  EXPECT_TRUE(world.has(kubernetes::deployments(), "web", R"("replicas":3)"));
  EXPECT_TRUE(world.has(kubernetes::deployments(), "api", R"("replicas":3)"));
}

TEST(KubernetesCluster, WithoutItsCrdItSaysWhatToDo) {
  http::net::io_context io;
  SeededRandom random(1);
  FakeApiServer server(io);
  kubernetes::ApiClient client(io, std::make_shared<OpenCredentials>(server), random);
  cluster::KubernetesCluster cluster(io, sys::system_clock(), random, client, {});
  cluster.start();
  EXPECT_TRUE(run_until(io, [&] {
    return cluster.not_ready_reason().find("apply deploy/crd.yaml") != std::string::npos &&
           cluster.not_ready_reason().find("404") != std::string::npos;
  })) << cluster.not_ready_reason();
  EXPECT_FALSE(cluster.ready());
  run_task<void>(io, [&] { return cluster.stop(sys::system_clock().now() + 5s); });
}

TEST(KubernetesCluster, ThatCannotReachItsServerAtAllSaysSo) {
  http::net::io_context io;
  SeededRandom random(1);
  FakeApiServer server(io);
  run_task<void>(io, [&]() -> http::Awaitable<void> {
    server.stop();
    co_return;
  });
  kubernetes::ApiClient client(io, std::make_shared<OpenCredentials>(server), random);
  cluster::KubernetesCluster cluster(io, sys::system_clock(), random, client, {});
  cluster.start();
  EXPECT_TRUE(run_until(io, [&] { return cluster.unreachable_since().has_value(); }));
  EXPECT_THAT(cluster.not_ready_reason(), HasSubstr("refused"));
  run_task<void>(io, [&] { return cluster.stop(sys::system_clock().now() + 5s); });
}

TEST(KubernetesCluster, OfOneNamespaceAsksForThatOneOnly) {
  http::net::io_context io;
  SeededRandom random(1);
  FakeApiServer server(io);
  add_revision_kind(server);
  apply(server, {.ns = "shop", .replicas = 1, .labels = kLabelled});
  apply(server, {.ns = "other", .replicas = 1, .labels = kLabelled});
  kubernetes::ApiClient client(io, std::make_shared<OpenCredentials>(server), random);
  cluster::KubernetesCluster cluster(io, sys::system_clock(), random, client, {.ns = "shop"});
  cluster.start();
  EXPECT_TRUE(run_until(io, [&] { return !cluster.revisions().empty(); }));
  EXPECT_EQ(cluster.revisions().size(), 1U);
  EXPECT_EQ(server.count("/v1/pods?"), 0U) << "of all namespaces";
  EXPECT_GT(server.count("/v1/namespaces/shop/pods?"), 0U);
  run_task<void>(io, [&] { return cluster.stop(sys::system_clock().now() + 5s); });
}

TEST(KubernetesCluster, AsAnActivatorItWritesTheFirstReplicaAndNothingElse) {
  http::net::io_context io;
  SeededRandom random(1);
  FakeApiServer server(io);
  add_revision_kind(server);
  apply(server, {.replicas = 0});
  apply_revision(server, "shop", "web");
  apply(server, {.name = "labelled", .replicas = 1, .labels = kLabelled});
  kubernetes::ApiClient client(io, std::make_shared<OpenCredentials>(server), random);
  cluster::KubernetesCluster cluster(io, sys::system_clock(), random, client,
                                     {.ns = {}, .role = cluster::KubernetesRole::kActivator});
  cluster.start();
  const RevisionId web("shop/web");
  ASSERT_TRUE(run_until(io, [&] { return cluster.revisions().find(web) != nullptr; }));
  const auto order = [&](PodCount desired) {
    return run_task<Result<void>>(io, [&]() -> http::Awaitable<Result<void>> {
      cluster::ScaleOrder one{.desired = desired, .drain_first = {}, .reason = "requests wait"};
      return cluster.scale(web, std::move(one));
    });
  };
  cluster.report(web, report(3));
  EXPECT_EQ(order(2).error().kind(), ErrorKind::kConflict);
  EXPECT_TRUE(order(1).has_value());
  EXPECT_TRUE(run_until(io, [&] { return cluster.revisions().find(web)->requested == 1; }));
  EXPECT_EQ(order(0).error().kind(), ErrorKind::kConflict);
  const TimePoint end = sys::system_clock().now() + 1s;  // statuses and events come within 250 ms
  EXPECT_TRUE(run_until(io, [&] { return sys::system_clock().now() > end; }));
  for (const std::string& request : server.requests()) {
    const bool reads = request.starts_with("GET ");
    EXPECT_TRUE(reads ||
                request.starts_with("PATCH /apis/apps/v1/namespaces/shop/deployments/web/scale"))
        << request;
  }
  EXPECT_EQ(cluster.revisions().find(RevisionId("shop/labelled")), nullptr) << "it adopts nothing";
  run_task<void>(io, [&] { return cluster.stop(sys::system_clock().now() + 5s); });
}

/// Three ready pods of "web", one of which an order to one replica keeps.
Result<void> order_that_keeps_one(KubernetesWorld& world) {
  apply(world.server, {.replicas = 3});
  apply_revision(world.server, "shop", "web");
  world.start();
  const auto ready = [&] {
    const auto found = world.find("shop/web");
    return found && found->count(cluster::ReplicaPhase::kReady) == 3;
  };
  EXPECT_TRUE(world.wait_for(ready));
  const PodName occupied = world.find("shop/web")->replicas.front()->name;
  return run_task<Result<void>>(world.io, [&]() -> http::Awaitable<Result<void>> {
    cluster::ScaleOrder order{.desired = 1, .drain_first = {}, .reason = {}, .keep = {occupied}};
    return world.cluster.scale(RevisionId("shop/web"), std::move(order));
  });
}

TEST(KubernetesCluster, AServerThatCannotChooseEndsNoPodWhileOneIsOccupied) {
  KubernetesWorld world(FakeApiServerOptions{.minor_version = 20});
  const auto ordered = order_that_keeps_one(world);
  ASSERT_FALSE(ordered.has_value());
  EXPECT_EQ(ordered.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(to_string(ordered.error()), HasSubstr("1 replica is occupied, and which pods end"));
  EXPECT_TRUE(world.has(kubernetes::deployments(), "web", "\"replicas\":3"));
}

TEST(KubernetesCluster, NoPodEndsIfThoseThatShouldCannotBeMarked) {
  KubernetesWorld world;
  world.server.fail({.kind = FakeApiFault::Kind::kStatus,
                     .method = "PATCH",
                     .target = "/pods/",
                     .times = 1,
                     .code = 403});
  const auto ordered = order_that_keeps_one(world);
  ASSERT_FALSE(ordered.has_value());
  EXPECT_THAT(to_string(ordered.error()), HasSubstr("were not marked, and others are occupied"));
  EXPECT_TRUE(world.has(kubernetes::deployments(), "web", "\"replicas\":3"));
}

TEST(KubernetesCluster, AMissingRightIsAFailedOrderThatNamesIt) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 1});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  world.server.fail({.kind = FakeApiFault::Kind::kStatus,
                     .method = "PATCH",
                     .target = "/deployments/web/scale",
                     .times = 1,
                     .code = 403});
  const auto ordered = world.scale("shop/web", 3);
  ASSERT_FALSE(ordered.has_value());
  EXPECT_THAT(to_string(ordered.error()),
              HasSubstr("patch deployments.apps/scale shop/web: HTTP 403"));
  world.cluster.report(RevisionId("shop/web"), report(1));
  EXPECT_TRUE(tells(world, "FailedUpdateScale"));
  EXPECT_TRUE(world.scale("shop/web", 3).has_value());
}

TEST(KubernetesCluster, ATargetOfAnotherKindIsWatchedOnceARevisionNamesIt) {
  KubernetesWorld world;
  const kubernetes::Resource rollouts{"argoproj.io", "v1alpha1", "rollouts"};
  world.server.store().add_kind({.resource = rollouts,
                                 .kind = "Rollout",
                                 .is_namespaced = true,
                                 .has_status = true,
                                 .has_scale = true,
                                 .other_versions = {}});
  world.server.store().put(
      rollouts,
      R"({"apiVersion":"argoproj.io/v1alpha1","kind":"Rollout","metadata":{"namespace":"shop",)"
      R"("name":"web"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},"template":)"
      R"({"metadata":{"labels":{"app":"web"}}}}})");
  world.server.store().put(
      kRevisions,
      R"({"apiVersion":"bellows.dev/v1alpha1","kind":"Revision","metadata":{"namespace":"shop",)"
      R"("name":"web"},"spec":{"scaleTargetRef":{"apiVersion":"argoproj.io/v1alpha1","kind":)"
      R"("Rollout","name":"web"}}})");
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web") != nullptr; }));
  EXPECT_EQ(world.find("shop/web")->requested, 2);
  ASSERT_TRUE(world.scale("shop/web", 3).has_value());
  EXPECT_TRUE(world.has(rollouts, "web", R"("replicas":3)"));
}

TEST(KubernetesCluster, AKindThatTheServerDoesNotHaveIsToldOnTheRevisionOnly) {
  KubernetesWorld world;
  apply(world.server, {.name = "api", .replicas = 1});
  apply_revision(world.server, "shop", "api");
  world.server.store().put(
      kRevisions,
      R"({"apiVersion":"bellows.dev/v1alpha1","kind":"Revision","metadata":{"namespace":"shop",)"
      R"("name":"web"},"spec":{"scaleTargetRef":{"apiVersion":"argoproj.io/v1alpha1","kind":)"
      R"("Rollout","name":"web"}}})");
  world.start();
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/api") != nullptr; }));
  EXPECT_TRUE(tells(world, "TargetNotScalable"));
  EXPECT_TRUE(world.scale("shop/api", 2).has_value());
}

TEST(KubernetesCluster, AfterAnOutageItScalesUpSoonAndDownOnlyOnConfirmedLists) {
  KubernetesWorld world;
  apply(world.server, {.replicas = 4});
  apply_revision(world.server, "shop", "web");
  world.start();
  ASSERT_TRUE(world.wait_for([&] {
    return world.find("shop/web") && world.find("shop/web")->count(ReplicaPhase::kReady) == 4;
  }));
  world.stop_server();
  ASSERT_TRUE(world.wait_for([&] { return world.cluster.unreachable_since().has_value(); }));
  EXPECT_EQ(world.scale("shop/web", 2).error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(world.find("shop/web")->replicas.size(), 4U) << "the last list stays";
  EXPECT_EQ(world.find("shop/web")->order_failure, "") << "it may be back soon";
  ASSERT_TRUE(world.wait_for([&] { return !world.find("shop/web")->order_failure.empty(); }));

  world.server.start();
  ASSERT_TRUE(world.wait_for([&] { return !world.cluster.unreachable_since().has_value(); }));
  EXPECT_TRUE(world.wait_for([&] { return world.find("shop/web")->order_failure.empty(); }));
  const auto down = world.scale("shop/web", 2);
  ASSERT_FALSE(down.has_value());
  EXPECT_THAT(to_string(down.error()), HasSubstr("nothing is scaled down"));
  const TimePoint back = sys::system_clock().now();
  ASSERT_TRUE(world.scale("shop/web", 5).has_value());
  EXPECT_LT(sys::system_clock().now() - back, 5s);
  ASSERT_TRUE(
      world.wait_for([&] { return world.find("shop/web")->count(ReplicaPhase::kReady) == 5; }));
  EXPECT_TRUE(world.wait_for([&] { return world.scale("shop/web", 2).has_value(); }))
      << "once every list is confirmed";
}

}  // namespace
}  // namespace bellows::test
