// Who takes a Deployment from Bellows and sets its number finds that number, whatever the
// autoscaler has heard of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cluster/kubernetes/io/requests.hpp"
#include "tests/integration/cluster/kubernetes/kubernetes_world.hpp"

namespace bellows::test {
namespace {

using testing::HasSubstr;

constexpr const char* kLabelled = R"({"bellows.dev/autoscale":"true"})";

/// A Revision web at zero.
class ReleasingWorld : public KubernetesWorld {
 public:
  explicit ReleasingWorld(const AppliedDeployment& web) { apply(server, web); }

  bool begin() {
    start();
    return wait_for([&] { return find("shop/web") != nullptr; });
  }
  /// Returns true once the server tells changes of Revisions no more.
  bool hide_revisions() {
    const std::string watch = "/revisions?watch=1";
    const std::size_t before = server.count(watch);
    server.fail(
        {.kind = FakeApiFault::Kind::kHang, .method = "GET", .target = watch, .times = 100});
    server.end_watches();
    return wait_for([&] { return server.count(watch) > before; });
  }
  bool lists(PodCount replicas) {
    return wait_for([&] { return find("shop/web")->requested == replicas; });
  }
  void expect_refused(PodCount desired, const std::string& why, const std::string& still) {
    const auto ordered = scale("shop/web", desired);
    ASSERT_FALSE(ordered.has_value());
    EXPECT_EQ(ordered.error().kind(), ErrorKind::kConflict);
    EXPECT_THAT(to_string(ordered.error()), HasSubstr(why));
    EXPECT_TRUE(has(kubernetes::deployments(), "web", R"("replicas":)" + still));
  }
};

TEST(AReleasedDeployment, IsToldTheValueOfItsLabel) {
  ReleasingWorld world({.replicas = 1, .labels = kLabelled});
  ASSERT_TRUE(world.begin());
  apply(world.server, {.replicas = 1, .labels = R"({"bellows.dev/autoscale":"false"})"});
  ASSERT_TRUE(world.wait_for([&] { return !world.events().empty(); }));
  EXPECT_THAT(world.events(), HasSubstr(R"(is \"false\" and not \"true\")"));
}

TEST(AReleasedDeployment, KeepsTheNumberOfWhoDeletedItsRevisionFirst) {
  ReleasingWorld world({.replicas = 0});
  apply_revision(world.server, "shop", "web");
  ASSERT_TRUE(world.begin());
  ASSERT_TRUE(world.hide_revisions());
  world.server.store().remove(kRevisions, "shop", "web");
  apply(world.server, {.replicas = 2});
  ASSERT_TRUE(world.lists(2)) << "the Deployment is heard of first";
  world.expect_refused(1, "it was deleted", "2");
}

TEST(AReleasedDeployment, KeepsTheNumberOfWhoPausedItsRevisionFirst) {
  ReleasingWorld world({.replicas = 0});
  apply_revision(world.server, "shop", "web");
  ASSERT_TRUE(world.begin());
  ASSERT_TRUE(world.hide_revisions());
  std::string paused = world.object(kRevisions, "web");
  const std::string spec = R"("spec":{)";
  ASSERT_THAT(paused, HasSubstr(spec));
  paused.insert(paused.find(spec) + spec.size(), R"("state":"Paused",)");
  world.server.store().put(kRevisions, paused);
  apply(world.server, {.replicas = 5});
  ASSERT_TRUE(world.lists(5));
  world.expect_refused(1, "its spec.state has changed", "5");
}

TEST(AReleasedDeployment, KeepsTheNumberThatItGotBackWhileItsRevisionIsStillThere) {
  ReleasingWorld world({.replicas = 2, .labels = kLabelled});
  ASSERT_TRUE(world.begin());
  ASSERT_TRUE(world.scale("shop/web", 0).has_value());
  ASSERT_TRUE(world.lists(0));
  world.server.fail({.method = "DELETE", .target = "/revisions/web", .times = 1000, .code = 403});
  apply(world.server, {.replicas = 0});
  ASSERT_TRUE(world.lists(2)) << "the label is gone, so it gets its number back";
  world.expect_refused(1, "the label of its Deployment is gone", "2");
}

/// Pods are marked before a number is written, and meanwhile the Revision goes.
TEST(AReleasedDeployment, KeepsItsNumberThoughAnOrderWasUnderWay) {
  ReleasingWorld world({.replicas = 0});
  apply_revision(world.server, "shop", "web");
  ASSERT_TRUE(world.begin());
  ASSERT_TRUE(world.scale("shop/web", 3).has_value());
  ASSERT_TRUE(world.wait_for(
      [&] { return world.find("shop/web")->count(cluster::ReplicaPhase::kReady) == 3; }));
  world.server.store().remove(kRevisions, "shop", "web");
  EXPECT_FALSE(world.scale("shop/web", 1).has_value());
  EXPECT_TRUE(world.has(kubernetes::deployments(), "web", R"("replicas":3)"));
}

TEST(ANumberOfAnotherClient, IsLoweredWhileTheRevisionIsThere) {
  ReleasingWorld world({.replicas = 4});
  apply_revision(world.server, "shop", "web");
  ASSERT_TRUE(world.begin());
  ASSERT_TRUE(world.scale("shop/web", 2).has_value());
  EXPECT_EQ(world.server.count("revisions?fieldSelector=metadata.name%3Dweb"), 1U);
  ASSERT_TRUE(world.lists(2));
  ASSERT_TRUE(world.scale("shop/web", 1).has_value());
  EXPECT_EQ(world.server.count("revisions?fieldSelector=metadata.name%3Dweb"), 1U)
      << "2 is a number of its own";
}

}  // namespace
}  // namespace bellows::test
