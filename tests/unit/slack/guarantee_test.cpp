// What is promised, and what stands in the way.
#include "slack/core/guarantee.hpp"

#include <gtest/gtest.h>

#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

TEST(Guarantee, ASumIsNoRoom) {
  // E9: 4 x 1000m are free, and no pod of 2000m fits.
  Scene scene(rate(0));
  scene.nodes(4, amount(1000, 16 * kGi, 110));
  const ShapeId shape = scene.cluster().intern(app_shape("web", amount(2000, kGi)));
  const Guarantee none = guarantee(scene.cluster(), shape, 10);
  EXPECT_EQ(none.fits_now, 0);
  EXPECT_EQ(none.obstacles.cpu, 4);
  EXPECT_EQ(none.in_the_way,
            "4 nodes without enough free CPU; it requests cpu 2000m, memory 1Gi, and the most that "
            "is free is cpu 1000m, memory 16Gi on m-001");
}

TEST(Guarantee, CountsPodsThatFitBesideRealOnesWherePlaceholdersGiveWay) {
  Scene scene(rate(500000));
  scene.nodes(2, kNode);
  scene.pod("default/a", app_shape("a", amount(1000, kGi)), "m-001");
  scene.loop();
  EXPECT_EQ(scene.fits_now(app_shape("web", amount(1000, kGi))), 7);
}

TEST(Guarantee, IsKeptByAnyOrderOfPlacing) {
  // Whatever node each pod goes to, as many find room as were promised.
  for (const bool from_the_end : {false, true}) {
    Scene scene(rate(0));
    scene.nodes(3, kNode);
    scene.pod("default/a", app_shape("a", amount(1500, kGi)), "m-002");
    Shape shape = app_shape("web", amount(1300, kGi));
    const std::int64_t promised = scene.fits_now(shape);
    EXPECT_EQ(promised, 7);
    const ShapeId id = scene.cluster().intern(shape);
    for (std::int64_t i = 0; i < promised; ++i) {
      NodeId chosen = kNoNode;
      for (NodeId node = 0; node < scene.cluster().nodes(); ++node) {
        if (scene.cluster().fitting(id, node, Holder::kPod, 1) == 0) continue;
        if (chosen == kNoNode || from_the_end) chosen = node;
      }
      ASSERT_NE(chosen, kNoNode);
      scene.pod("default/web-" + std::to_string(i), shape, scene.cluster().node(chosen).name);
    }
    EXPECT_EQ(scene.fits_now(shape), 0);
  }
}

TEST(Guarantee, NamesEachObstacle) {
  Scene scene(rate(0));
  NodeSpec unready = node_spec("n1", kNode);
  unready.is_ready = false;
  scene.node(unready);
  NodeSpec cordoned = node_spec("n2", kNode);
  cordoned.is_schedulable = false;
  scene.node(cordoned);
  NodeSpec tainted = node_spec("n3", kNode);
  tainted.taints = {{"gpu", "", "NoSchedule"}};
  scene.node(tainted);
  scene.node(node_spec("n4", amount(4000, 16 * kGi, 0)));
  scene.node(node_spec("n5", amount(4000, kGi, 110)));
  scene.node(node_spec("n6", amount(10, 16 * kGi, 110)));
  Shape shape = app_shape("web", amount(1000, 2 * kGi));
  shape.anti_affinity = {apart("web")};
  scene.node(node_spec("n7", kNode));
  scene.pod("default/web-1", shape, "n7");
  const Guarantee none = guarantee(scene.cluster(), scene.cluster().intern(shape), 1);
  EXPECT_EQ(none.fits_now, 0);
  EXPECT_EQ(none.obstacles.unready, 1);
  EXPECT_EQ(none.obstacles.cordoned, 1);
  EXPECT_EQ(none.obstacles.taint, 1);
  EXPECT_EQ(none.obstacles.slots, 1);
  EXPECT_EQ(none.obstacles.memory, 1);
  EXPECT_EQ(none.obstacles.cpu, 1);
  EXPECT_EQ(none.obstacles.rival, 1);
}

TEST(Guarantee, IsNothingForAConstraintThatIsNotChecked) {
  Scene scene(rate(0));
  scene.nodes(1, kNode);
  Shape shape = app_shape("web", amount(10, kMi));
  shape.unchecked = "required pod affinity";
  const Guarantee none = guarantee(scene.cluster(), scene.cluster().intern(shape), 5);
  EXPECT_EQ(none.fits_now, 0);
  EXPECT_EQ(none.in_the_way, "its required pod affinity is not checked, so nothing is promised");
}

TEST(Unmet, NamesThePodTheFieldAndTheLargestNode) {
  Scene scene(rate(0));
  scene.nodes(1, kNode);
  scene.planner.set_types({node_type("m", kNode)});
  scene.pod("default/huge-1", app_shape("huge", amount(1000, 64 * kGi)));
  scene.pod("default/huge-2", app_shape("huge", amount(1000, 64 * kGi)));
  const Plan& plan = scene.loop();
  ASSERT_EQ(plan.unmet.size(), 1U);
  EXPECT_EQ(plan.unmet[0].object, "pod default/huge-1");
  EXPECT_EQ(plan.unmet[0].field, "memory");
  EXPECT_EQ(plan.unmet[0].value, "64Gi");
  EXPECT_EQ(plan.unmet[0].count, 2);
  EXPECT_EQ(plan.unmet[0].reason, "no type of node is that large: want at most 16Gi");
  EXPECT_TRUE(plan.ordered_now.empty());
}

TEST(BadInput, NamesTheObjectTheFieldAndTheValue) {
  Scene scene(rate(0));
  const auto negative = scene.cluster().put_node(node_spec("n1", amount(-1, kGi)));
  ASSERT_FALSE(negative);
  EXPECT_EQ(to_string(negative.error()), "node n1: cpu: -1: want 0 or more");
  const auto nowhere = scene.cluster().put_pod(
      {"default/a", scene.cluster().intern(app_shape("a", amount(1, 1))), "n9"});
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(to_string(nowhere.error()), "pod default/a: node: \"n9\": there is no such node");
  EXPECT_FALSE(scene.cluster().remove_pod("default/a"));
  EXPECT_FALSE(scene.cluster().remove_node("n9"));
}

}  // namespace
}  // namespace bellows::slack
