// Activators in and out of the path of Services, with an API server and activators that answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/integration/cluster/kubernetes/path_world.hpp"

namespace bellows::test {
namespace {

using namespace std::chrono_literals;
using cluster::PathState;
using cluster::ReplicaPhase;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(KubernetesPaths, ToZeroAndBackWithActivatorsInThePathBeforeAndAfter) {
  PathWorld world;
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort)) << world.slice();
  EXPECT_THAT(world.slice(), HasSubstr(world.activators.address("a")));
  EXPECT_EQ(world.find("shop/web")->path.state, PathState::kDirect);
  EXPECT_FALSE(world.scale("shop/web", 0)) << "callers would reach nobody";
  world.route(true);
  ASSERT_TRUE(world.wait_slice(kReady));
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  EXPECT_THAT(world.find("shop/web")->path.activators, ElementsAre(PodName("a"), PodName("b")));
  ASSERT_TRUE(world.scale("shop/web", 0));
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->replicas.empty(); }));
  world.route(false);
  EXPECT_EQ(world.find("shop/web")->path.state, PathState::kHeld) << "nobody else is there";
  ASSERT_TRUE(world.scale("shop/web", 1));
  ASSERT_TRUE(world.wait_state(PathState::kLeaving));
  EXPECT_EQ(world.find("shop/web")->count(ReplicaPhase::kReady), 1);
  ASSERT_TRUE(world.wait_state(PathState::kDirect));
  EXPECT_THAT(world.slice(), HasSubstr(kLastResort));
  EXPECT_TRUE(world.tells(R"("activatorPort":)"));
  EXPECT_TRUE(world.tells(R"("reason":"Direct")"));
}

TEST(KubernetesPaths, ASliceWithoutPortsOfAServiceThatHasNoPathIsWrittenAnew) {
  PathWorld world(0);
  apply_service(world.server, "shop", "web", R"(,"clusterIP":"None")");
  world.server.store().put(
      endpoint_slices(),
      R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"shop",)"
      R"("name":"web-bellows","labels":{"kubernetes.io/service-name":"web",)"
      R"("endpointslice.kubernetes.io/managed-by":"bellows.dev"},"annotations":)"
      R"({"bellows.dev/revision":"web","bellows.dev/activator-port":"21005"}},)"
      R"("addressType":"IPv4","endpoints":[],"ports":[]})");
  world.begin();
  ASSERT_TRUE(world.wait_ready());
  EXPECT_TRUE(world.wait_for([&] {
    return world.slice().find(R"("ports":[{)") != std::string::npos;
  })) << world.slice();
}

TEST(KubernetesPaths, AServiceOfHttp2GoesToZeroAndBackAsAnyOther) {
  for (const std::string protocol : {"kubernetes.io/h2c", "grpc"}) {
    PathWorld world;
    std::string service = world.object(kubernetes::services(), "web");
    const std::string port = R"([{"name":"http")";
    service.replace(service.find(port), port.size(), port + R"(,"appProtocol":")" + protocol + '"');
    world.server.store().put(kubernetes::services(), service);
    world.begin();
    ASSERT_TRUE(world.wait_slice(kLastResort)) << world.slice();
    world.route(true);
    ASSERT_TRUE(world.wait_state(PathState::kHeld)) << protocol;
    EXPECT_THAT(world.slice(), HasSubstr(R"("appProtocol":")" + protocol + '"'));
    ASSERT_TRUE(world.scale("shop/web", 0));
    ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->replicas.empty(); }));
    ASSERT_TRUE(world.scale("shop/web", 1));
    world.route(false);
    ASSERT_TRUE(world.wait_state(PathState::kDirect)) << protocol;
  }
}

TEST(KubernetesPaths, AnOrderToZeroBringsActivatorsWhateverThePathOrderSays) {
  PathWorld world;
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort));
  world.route(false, {PodName("a")});
  EXPECT_FALSE(world.scale("shop/web", 0));
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  EXPECT_THAT(world.find("shop/web")->path.activators, ElementsAre(PodName("a")));
  EXPECT_TRUE(world.scale("shop/web", 1)) << "it is not to go to zero any more";
  EXPECT_TRUE(world.wait_state(PathState::kDirect));
}

/// A node uses its own endpoints alone, so the activator of each node has to be there.
TEST(KubernetesPaths, AServiceWithTheTrafficPolicyLocalHasAllActivatorsWhoeverIsOrdered) {
  cluster::KubernetesOptions options = with_paths();
  options.paths.are_on_each_node = true;
  PathWorld world(1, {}, std::move(options));
  apply_service(world.server, "shop", "web",
                R"(,"type":"LoadBalancer","externalTrafficPolicy":"Local")");
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort));
  world.route(true, {PodName("a")});
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  ASSERT_TRUE(world.wait_for([&] {
    const auto web = world.find("shop/web");
    return web != nullptr && web->path.activators.size() == 2;
  }));
  world.route(true, {PodName("b")});
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  EXPECT_THAT(world.find("shop/web")->path.activators, ElementsAre(PodName("a"), PodName("b")));
  EXPECT_THAT(world.slice(), HasSubstr(R"("nodeName":)"));
}

TEST(KubernetesPaths, ARetiredRevisionLosesItsSlice) {
  PathWorld world;
  world.begin();
  ASSERT_TRUE(world.wait_slice(kLastResort));
  apply_revision(world.server, "shop", "web", R"(,"state":"Retired")");
  EXPECT_TRUE(world.wait_for([&] { return world.has(kDeployments, "web", R"("replicas":0)"); }));
  EXPECT_TRUE(world.wait_for([&] { return world.slice().empty(); }));
}

TEST(KubernetesPaths, WithoutActivatorsTheLastReplicaStays) {
  PathWorld world;
  world.activators.set("a", false);
  world.activators.set("b", false);
  world.begin();
  EXPECT_TRUE(world.tells(R"("reason":"NoActivators")"));
  const auto refused = world.scale("shop/web", 0);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("the last replica stays"));
  EXPECT_TRUE(world.has(kDeployments, "web", R"("replicas":1)"));
}

TEST(KubernetesPaths, OnlyActivatorsThatAnswerOnThePortJoin) {
  PathWorld world;
  world.activators.hang("b");
  world.begin();
  ASSERT_TRUE(world.wait_ready());
  world.route(true);
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  EXPECT_THAT(world.find("shop/web")->path.activators, ElementsAre(PodName("a")));
  world.activators.hang("b", false);
  EXPECT_TRUE(world.wait_for([&] { return world.find("shop/web")->path.activators.size() == 2; }));
  EXPECT_EQ(world.find("shop/web")->path.state, PathState::kHeld);
}

TEST(KubernetesPaths, ActivatorsGoAndTheLastOneStaysWhereNobodyElseIs) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld)) << "no replica is ready, so they join unasked";
  world.activators.set("b", false, "zone-b");
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->path.activators.size() == 1; }));
  world.activators.set("a", false);
  ASSERT_TRUE(world.wait_state(PathState::kJoining));
  EXPECT_THAT(world.find("shop/web")->path.activators, ElementsAre(PodName("a")));
  EXPECT_THAT(world.slice(), HasSubstr(kReady));
  world.activators.set("b", true, "zone-b");
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  EXPECT_THAT(world.find("shop/web")->path.activators, ElementsAre(PodName("b")));
}

TEST(KubernetesPaths, OneThatWasLeftOutAnswersAnewBeforeItComesBack) {
  PathWorld world;
  world.begin();
  ASSERT_TRUE(world.wait_ready());
  world.route(true, {PodName("a"), PodName("b")});
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  const int answers = world.activators.answers("b");
  world.route(true, {PodName("a")});
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->path.activators.size() == 1; }));
  world.route(true, {PodName("a"), PodName("b")});
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->path.activators.size() == 2; }));
  EXPECT_GT(world.activators.answers("b"), answers);
}

TEST(KubernetesPaths, ASliceThatWasEditedOrDeletedByHandIsPutRight) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  std::string edited = world.slice();
  const std::size_t at = edited.find(R"("ready":true)");
  edited.replace(at, 12, R"("ready":false)");
  world.server.store().put(endpoint_slices(), edited);
  ASSERT_TRUE(
      world.wait_for([&] { return world.slice().find(R"("ready":false)") == std::string::npos; }));
  world.server.store().remove(endpoint_slices(), "shop", "web-bellows");
  ASSERT_TRUE(world.wait_slice(kReady));
  EXPECT_TRUE(world.wait_state(PathState::kHeld));
}

TEST(KubernetesPaths, ASliceOfThatNameFromAnotherProgramIsLeftAlone) {
  PathWorld world(0);
  world.server.store().put(
      endpoint_slices(),
      R"({"apiVersion":"discovery.k8s.io/v1","kind":"EndpointSlice","metadata":{"namespace":"shop",)"
      R"("name":"web-bellows","labels":{"kubernetes.io/service-name":"web"}},"addressType":"IPv4","endpoints":[],"ports":[]})");
  world.begin();
  EXPECT_TRUE(world.tells(R"("reason":"SliceNameTaken")"));
  EXPECT_EQ(world.slice().find("bellows.dev"), std::string::npos);
}

TEST(KubernetesPaths, ThePortNameOfAServiceChangesAndTheServiceIsDeletedAndMadeAgain) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  const std::string service = world.object(kubernetes::services(), "web");
  std::string renamed = service;
  renamed.replace(renamed.find(R"([{"name":"http")"), 15, R"([{"name":"web2")");
  world.server.store().put(kubernetes::services(), renamed);
  ASSERT_TRUE(world.wait_slice(R"("ports":[{"name":"web2")"));
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  world.server.store().remove(kubernetes::services(), "shop", "web");
  ASSERT_TRUE(world.tells(R"("reason":"ServiceNotFound")"));
  world.server.store().remove(endpoint_slices(), "shop", "web-bellows");  // the garbage collector
  apply_service(world.server, "shop", "web");
  ASSERT_TRUE(world.wait_slice(R"("ports":[{"name":"http")"));
  EXPECT_TRUE(world.wait_state(PathState::kHeld));
}

TEST(KubernetesPaths, TwoRevisionsWithOneServiceStayAsTheyAre) {
  PathWorld world;
  apply(world.server, {.name = "second", .replicas = 1});
  apply_revision(world.server, "shop", "second", R"(,"serviceName":"web")");
  world.begin();
  EXPECT_TRUE(world.tells(R"("reason":"ServiceShared")"));
  world.route(true);
  EXPECT_FALSE(world.scale("shop/web", 0));
  EXPECT_EQ(world.slice(), "");
}

TEST(KubernetesPaths, WhereThePortsAreUsedUpTheOthersAreToldSo) {
  cluster::KubernetesOptions options = with_paths();
  options.paths.ports = {.first = 21500, .last = 21500};
  PathWorld world(1, {}, options);
  apply(world.server, {.name = "second", .replicas = 1});
  apply_service(world.server, "shop", "second");
  apply_revision(world.server, "shop", "second");
  world.begin();
  ASSERT_TRUE(world.wait_for([&] {
    return world.has(kRevisions, "web", "PortsExhausted") ||
           world.has(kRevisions, "second", "PortsExhausted");
  }));
  world.server.store().remove(kRevisions, "shop", "web");
  world.server.store().remove(kRevisions, "shop", "second");
}

TEST(KubernetesPaths, ASuccessorDoesNotGiveOutAPortThatRests) {
  cluster::KubernetesOptions options = with_paths();
  options.paths.ports = {.first = 21600, .last = 21601};
  PathWorld world(1, {}, options);
  for (const char* name : {"other", "third"}) {
    apply(world.server, {.name = name, .replicas = 1});
    apply_service(world.server, "shop", name);
  }
  apply_revision(world.server, "shop", "other");
  world.begin();
  ASSERT_TRUE(world.wait_for(
      [&] { return !world.slice().empty() && !world.slice("other-bellows").empty(); }));
  const std::uint16_t port = world.find("shop/web")->path.activator_port;
  world.server.store().remove(kRevisions, "shop", "web");
  ASSERT_TRUE(world.wait_for([&] {
    return world.has(kRevisions, "other", R"("restingPorts":[{"port":)" + std::to_string(port));
  })) << world.object(kRevisions, "other");
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    co_await world.cluster.stop(sys::system_clock().now() + 5s);
  });
  cluster::KubernetesCluster next(world.io, sys::system_clock(), world.random, world.client,
                                  options);
  next.start();
  apply_revision(world.server, "shop", "third");
  EXPECT_TRUE(world.wait_for([&] { return world.has(kRevisions, "third", "PortsExhausted"); }));
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    co_await next.stop(sys::system_clock().now() + 5s);
  });
}

TEST(KubernetesPaths, ASuccessorGoesOnInEachState) {
  for (const PathState state : {PathState::kJoining, PathState::kHeld, PathState::kLeaving}) {
    cluster::KubernetesOptions options = with_paths();
    options.paths.settle = 300ms;
    PathWorld world(1, {}, options);
    world.begin();
    ASSERT_TRUE(world.wait_ready());
    world.route(true);
    ASSERT_TRUE(world.wait_state(state == PathState::kJoining ? state : PathState::kHeld));
    if (state == PathState::kLeaving) {
      world.route(false);
      ASSERT_TRUE(world.wait_state(state));
    }
    const std::uint16_t port = world.find("shop/web")->path.activator_port;
    run_task<void>(world.io, [&]() -> http::Awaitable<void> {
      co_await world.cluster.stop(sys::system_clock().now() + 5s);
    });
    cluster::KubernetesCluster next(world.io, sys::system_clock(), world.random, world.client,
                                    with_paths());
    next.start();
    const auto path = [&] {
      const auto web = next.revisions().find(RevisionId("shop/web"));
      return web == nullptr ? cluster::Path() : web->path;
    };
    ASSERT_TRUE(world.wait_for([&] { return path().activator_port == port; }));
    run_task<void>(world.io, [&]() -> http::Awaitable<void> {
      cluster::PathOrder order;
      next.route(RevisionId("shop/web"), std::move(order));
      co_return;
    });
    EXPECT_TRUE(world.wait_for([&] {
      return path().state == PathState::kHeld && path().activators.size() == 2;
    })) << to_string(state);
    run_task<void>(world.io, [&]() -> http::Awaitable<void> {
      co_await next.stop(sys::system_clock().now() + 5s);
    });
  }
}

TEST(KubernetesPaths, WhileTheServerIsAwayThePathStaysAndNothingCountsAsSettled) {
  cluster::KubernetesOptions options = with_paths();
  options.paths.settle = 500ms;
  PathWorld world(1, {}, options);
  world.begin();
  ASSERT_TRUE(world.wait_ready());
  world.route(true);
  ASSERT_TRUE(world.wait_state(PathState::kJoining));
  world.stop_server();
  ASSERT_TRUE(world.wait_for([&] { return world.cluster.unreachable_since().has_value(); }));
  EXPECT_NE(world.find("shop/web")->path.state, PathState::kLeaving);
  EXPECT_FALSE(world.scale("shop/web", 0));
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    world.server.start();
    co_return;
  });
  ASSERT_TRUE(world.wait_for([&] { return !world.cluster.unreachable_since(); }));
  ASSERT_TRUE(world.wait_state(PathState::kJoining)) << "nodes have followed nothing";
  EXPECT_TRUE(world.wait_state(PathState::kHeld));
}

TEST(KubernetesPaths, AnOldServerGetsNoLastResort) {
  FakeApiServerOptions old;
  old.minor_version = 20;
  PathWorld world(1, old);
  world.begin();
  ASSERT_TRUE(world.wait_slice(R"("endpoints":[])"));
  world.route(true);
  ASSERT_TRUE(world.wait_slice(R"("conditions":{"ready":true})"));
  EXPECT_THAT(world.slice(), HasSubstr(R"("topology":{"kubernetes.io/hostname":"node-a")"));
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  world.route(false);
  EXPECT_TRUE(world.wait_slice(R"("endpoints":[])"));
}

void fill_by_bellows(PathWorld& world) {
  world.server.store().put(
      kubernetes::services(),
      R"({"apiVersion":"v1","kind":"Service","metadata":{"namespace":"shop","name":"web",)"
      R"("annotations":{"bellows.dev/front":"true"}},"spec":{"ports":[{"name":"http","port":80,)"
      R"("targetPort":"http"}]}})");
  apply_revision(world.server, "shop", "web", R"(,"serviceName":"web")");
}

TEST(KubernetesPaths, AServiceThatBellowsFillsWithAThousandPodsSaysThatOthersAreLeftOut) {
  PathWorld world(1001);
  fill_by_bellows(world);
  world.begin();
  EXPECT_TRUE(world.tells("TooManyPods"));
  EXPECT_TRUE(world.tells("1 of the ready ones get no requests"));
  ASSERT_TRUE(world.scale("shop/web", 3));
  EXPECT_TRUE(world.tells(R"("reason":"Direct")"));
}

TEST(KubernetesPaths, AServiceThatBellowsFillsHasEitherPodsOrActivators) {
  PathWorld world;
  fill_by_bellows(world);
  world.begin();
  ASSERT_TRUE(world.wait_slice(R"("ports":[{"name":"http","port":8012)")) << world.slice();
  EXPECT_EQ(world.slice().find(world.activators.address("a")), std::string::npos);
  world.route(true);
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  EXPECT_THAT(world.slice(), HasSubstr(world.activators.address("a")));
  EXPECT_EQ(world.slice().find("web-abc-"), std::string::npos) << world.slice();
  ASSERT_TRUE(world.scale("shop/web", 0));
  ASSERT_TRUE(world.wait_for([&] { return world.find("shop/web")->replicas.empty(); }));
  world.route(false);
  ASSERT_TRUE(world.scale("shop/web", 2));
  ASSERT_TRUE(world.wait_state(PathState::kDirect));
  EXPECT_THAT(world.slice(), HasSubstr("web-abc-"));
  EXPECT_EQ(world.slice().find(world.activators.address("a")), std::string::npos);
}

TEST(KubernetesPaths, AnActivatorReadsThePathAndStartsTheFirstReplicaAndNoOther) {
  PathWorld world(0);
  world.begin();
  ASSERT_TRUE(world.wait_state(PathState::kHeld));
  cluster::KubernetesOptions options = with_paths();
  options.role = cluster::KubernetesRole::kActivator;
  cluster::KubernetesCluster reader(world.io, sys::system_clock(), world.random, world.client,
                                    options);
  reader.start();
  const RevisionId web("shop/web");
  ASSERT_TRUE(world.wait_for([&] { return reader.revisions().find(web) != nullptr; }));
  EXPECT_EQ(reader.revisions().find(web)->path, world.find("shop/web")->path);
  EXPECT_EQ(reader.activators().size(), 2U);
  const auto scale = [&](PodCount desired) {
    return run_task<Result<void>>(world.io, [&]() -> http::Awaitable<Result<void>> {
      cluster::ScaleOrder order{.desired = desired, .drain_first = {}, .reason = "a request"};
      return reader.scale(web, std::move(order));
    });
  };
  EXPECT_TRUE(scale(1));
  ASSERT_TRUE(world.wait_for([&] { return reader.revisions().find(web)->requested == 1; }));
  EXPECT_FALSE(scale(2));
  EXPECT_FALSE(scale(0));
  EXPECT_TRUE(world.has(kDeployments, "web", R"("replicas":1)"));
  run_task<void>(world.io, [&]() -> http::Awaitable<void> {
    co_await reader.stop(sys::system_clock().now() + 5s);
  });
}

}  // namespace
}  // namespace bellows::test
