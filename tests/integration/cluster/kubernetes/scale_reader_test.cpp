// Targets whose pods are known from their /scale only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cluster/kubernetes/io/requests.hpp"
#include "tests/integration/cluster/kubernetes/kubernetes_world.hpp"

namespace bellows::test {
namespace {

using cluster::ReplicaPhase;

const kubernetes::Resource kApps{"example.dev", "v1", "apps"};

void put_app(KubernetesWorld& world, const std::string& name, const std::string& selector,
             int replicas = 2) {
  world.server.store().put(
      kApps,
      R"({"apiVersion":"example.dev/v1","kind":"App","metadata":{"namespace":"shop","name":")" +
          name + R"("},"spec":{"replicas":)" + std::to_string(replicas) +
          R"(},"status":{"selector":")" + selector + R"("}})");
}

void put_revision(KubernetesWorld& world, const std::string& name) {
  world.server.store().put(
      kRevisions,
      R"({"apiVersion":"bellows.dev/v1alpha1","kind":"Revision","metadata":{"namespace":"shop",)"
      R"("name":")" +
          name + R"("},"spec":{"scaleTargetRef":{"apiVersion":"example.dev/v1","kind":"App",)" +
          R"("name":")" + name + R"("}}})");
}

void put_pod(KubernetesWorld& world, const std::string& name, const std::string& app) {
  world.server.store().put(
      kubernetes::pods(),
      R"({"metadata":{"namespace":"shop","name":")" + name + R"(","labels":{"app":")" + app +
          R"("}},"spec":{"nodeName":"n"},"status":{"phase":"Running","podIP":"10.0.0.1",)"
          R"("conditions":[{"type":"Ready","status":"True"}]}})");
}

/// A server with the kind App, two Apps and a Revision of the first.
struct Apps {
  Apps() {
    world.server.store().add_kind({.resource = kApps,
                                   .kind = "App",
                                   .is_namespaced = true,
                                   .has_status = true,
                                   .has_scale = true,
                                   .other_versions = {}});
    put_app(world, "web", "app=web");
    put_app(world, "other", "app=other");
    put_revision(world, "web");
    put_pod(world, "web-1", "web");
    put_pod(world, "other-1", "other");
  }
  std::size_t reads(const std::string& name) {
    return world.server.count("GET /apis/example.dev/v1/namespaces/shop/apps/" + name + "/scale");
  }
  bool has_replica(const std::string& revision, const std::string& pod) {
    return world.wait_for([&] {
      const auto found = world.find("shop/" + revision);
      return found && found->replicas.size() == 1 && found->find(PodName(pod)) != nullptr;
    });
  }

  KubernetesWorld world;
};

TEST(TargetsThatLeaveTheirPodsToScale, HaveThePodsThatTheScaleSelects) {
  Apps apps;
  apps.world.start();
  ASSERT_TRUE(apps.has_replica("web", "web-1"));
  EXPECT_EQ(apps.world.find("shop/web")->requested, 2);
  EXPECT_FALSE(apps.world.has(kRevisions, "web", "TargetNotFound"));
  ASSERT_TRUE(apps.world.scale("shop/web", 5).has_value());
  EXPECT_TRUE(apps.world.has(kApps, "web", R"("replicas":5)"));
}

TEST(TargetsThatLeaveTheirPodsToScale, AreReadAgainAfterAChangeIfARevisionHasThem) {
  Apps apps;
  apps.world.start();
  ASSERT_TRUE(apps.has_replica("web", "web-1"));
  put_app(apps.world, "other", "app=none");
  put_app(apps.world, "web", "app=other", 4);
  ASSERT_TRUE(apps.has_replica("web", "other-1"));
  EXPECT_EQ(apps.world.find("shop/web")->requested, 4);
  EXPECT_EQ(apps.reads("other"), 1U) << "nobody needs it";

  put_app(apps.world, "web", "app=web", 4);
  put_revision(apps.world, "other");
  ASSERT_TRUE(apps.has_replica("web", "web-1"));
  ASSERT_TRUE(apps.world.wait_for([&] { return apps.reads("other") == 2; }));
  apps.world.server.store().remove(kApps, "shop", "web");
  EXPECT_TRUE(
      apps.world.wait_for([&] { return apps.world.has(kRevisions, "web", "TargetNotFound"); }));
}

TEST(TargetsThatLeaveTheirPodsToScale, WhoseScaleCannotBeReadSaySo) {
  Apps apps;
  apps.world.server.fail({.kind = FakeApiFault::Kind::kStatus,
                          .method = "GET",
                          .target = "/apps/web/scale",
                          .times = 1000,
                          .code = 403});
  apps.world.start();
  EXPECT_TRUE(apps.world.wait_for([&] {
    return apps.world.has(kRevisions, "web", "get apps.example.dev/scale shop/web: HTTP 403");
  }));
}

}  // namespace
}  // namespace bellows::test
