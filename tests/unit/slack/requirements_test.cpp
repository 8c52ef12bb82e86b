// The requirements R1 to R9 of the resource slack design, one test each or more. R10 is in
// large_cluster_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

/// `count` nodes, each with one pod that leaves `free_cpu` and a like part of the memory.
void add_busy_nodes(Scene& scene, int count, std::int64_t free_cpu) {
  scene.nodes(count, kNode);
  Shape shape = app_shape("busy", amount(4000 - free_cpu, (4000 - free_cpu) * kGi / 250));
  for (int i = 1; i <= count; ++i) {
    const std::string number = std::to_string(1000 + i).substr(1);
    scene.pod("default/busy-" + number, shape, "m-" + number);
  }
}

TEST(R1, ALoopVisitsEachNodeAtMostOncePerGroup) {
  Scene scene(rate(100000));
  add_busy_nodes(scene, 60, 1000);
  for (int i = 0; i < 300; ++i) {
    const std::string app = "app" + std::to_string(i % 6);
    scene.pod("default/" + app + "-" + std::to_string(i),
              app_shape(app, amount(100 + i % 6, kGi / 8)));
  }
  const Plan& plan = scene.loop();
  EXPECT_GT(plan.work.groups, 0U);
  EXPECT_LE(plan.work.nodes_visited, plan.work.groups * 60);
}

TEST(R1_1, WherePodsOfOneControllerDoNotFitTheOthersAreNotTried) {
  Scene scene(rate(0));
  add_busy_nodes(scene, 40, 1000);
  for (int i = 0; i < 500; ++i)
    scene.pod("default/big-" + std::to_string(i), app_shape("big", amount(1001, kGi)));
  const Plan& plan = scene.loop();
  EXPECT_EQ(plan.work.placements, 0U);
  EXPECT_LE(plan.work.nodes_visited, 40U);
}

TEST(R1_2, AQuietLoopMovesNothingAndDoesNothing) {
  Scene scene(rate(100000));
  add_busy_nodes(scene, 20, 2000);
  scene.settle();
  const auto before = scene.placed();
  const Plan& quiet = scene.loop();
  EXPECT_EQ(quiet.moved(), 0);
  EXPECT_EQ(quiet.work, Work{});
  EXPECT_EQ(scene.placed(), before);
}

TEST(R1_2, ANodeThatIsToldAgainIsNoChange) {
  Scene scene(rate(100000));
  scene.nodes(10, amount(4000, 16 * kGi, 110));
  scene.settle();
  const std::uint64_t before = scene.cluster().version();
  const Node& known = scene.cluster().node(0);
  ASSERT_TRUE(scene.cluster().put_node(node_spec(known.name, known.allocatable)));
  EXPECT_EQ(scene.cluster().version(), before);
  NodeSpec smaller = node_spec(known.name, amount(3000, 16 * kGi, 110));
  ASSERT_TRUE(scene.cluster().put_node(smaller));
  EXPECT_GT(scene.cluster().version(), before);
}

TEST(R1_2, PlaceholdersStayWhenSomethingElseChanges) {
  Scene scene(rate(100000));
  add_busy_nodes(scene, 20, 2000);
  scene.settle();
  const auto before = scene.placed();
  scene.pod("default/small", app_shape("small", amount(10, kMi)), "m-020");
  const Plan& plan = scene.loop();
  EXPECT_EQ(plan.moved(), 0);
  EXPECT_EQ(scene.placed(), before);
}

TEST(R2, AtLeastTheAskedCapacityIsHeld) {
  Scene scene(rate(100000));
  add_busy_nodes(scene, 10, 1000);
  const Plan& plan = scene.loop();
  EXPECT_EQ(plan.desired, amount(4000, 16 * kGi, 0));
  EXPECT_EQ(row(plan, "standard").placed, 5);
  EXPECT_EQ(plan.held.cpu_millicores, 4000);
  // A part of an average node is rounded down: less than one byte for each placeholder.
  EXPECT_GT(plan.held.memory_bytes, 16 * kGi - 5);
  EXPECT_GE(plan.free_for_placeholders.memory_bytes, plan.desired.memory_bytes);
}

TEST(R2, WhatDoesNotFitIsOrdered) {
  Scene scene(rate(100000));
  add_busy_nodes(scene, 10, 0);
  scene.planner.set_types({node_type("m", kNode)});
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, "standard").pending, 5);
  EXPECT_EQ(plan.ordered_now, (std::vector<ScaleUp>{{"m", 1}}));
  // The new node counts: 1.1 nodes are 5.5 parts, which need a second one.
  scene.settle();
  EXPECT_EQ(scene.upcoming(), 2);
}

TEST(R3, ANodeStaysIfItsPlaceholdersHaveNoOtherPlace) {
  Scene scene(rate(300000));
  scene.nodes(2, kNode);
  scene.pod("default/a", app_shape("a", amount(3000, 12 * kGi)), "m-001");
  // 3 parts of 800m are wanted; only one fits beside the pod, so the empty node is not empty.
  const Plan& plan = scene.settle();
  EXPECT_EQ(row(plan, "standard").placed, 3);
  EXPECT_TRUE(plan.scale_down.empty());
}

TEST(R3, AnEmptyNodeGoesIfThePlaceholdersFitElsewhere) {
  Scene scene(rate(100000));
  scene.nodes(3, kNode);
  scene.pod("default/a", app_shape("a", amount(3000, 12 * kGi)), "m-001");
  scene.pod("default/b", app_shape("b", amount(1000, 4 * kGi)), "m-002");
  const Plan& plan = scene.settle();
  EXPECT_EQ(plan.scale_down, std::vector<std::string>{"m-003"});
  EXPECT_EQ(plan.moved(), 0);  // simulated moves are taken back
}

TEST(R3, ARemovalNeverBreaksTheExtraCapacity) {
  Scene scene(rate(200000));
  scene.nodes(6, kNode);
  for (int i = 1; i <= 6; ++i) {
    const std::string n = std::to_string(i);
    scene.pod("default/p" + n, app_shape("p", amount(1200, 4 * kGi)), "m-00" + n);
  }
  const std::vector<std::string> gone = scene.settle().scale_down;
  ASSERT_FALSE(gone.empty());
  for (const std::string& name : gone) scene.remove_node(name);
  const Plan& after = scene.loop();
  EXPECT_EQ(scene.upcoming(), 0);
  EXPECT_TRUE(after.unmet.empty());
  EXPECT_GE(after.held.cpu_millicores, after.desired.cpu_millicores);
}

TEST(R4, TheRateAloneIsEnough) {
  Settings settings;
  settings.rate.millionths = 100000;
  Scene scene(settings);
  add_busy_nodes(scene, 10, 1000);
  EXPECT_EQ(row(scene.loop(), "standard").placed, 5);
}

TEST(R5, TheCheapestTypeThatServesIsAdded) {
  Scene scene(rate(100000));
  add_busy_nodes(scene, 10, 0);
  scene.planner.set_types({node_type("m", kNode, 4),
                           node_type("large", amount(32000, 128 * kGi, 110), 32),
                           node_type("small", amount(1000, 4 * kGi, 110), 1.1)});
  // Five parts of 800m: one m for 4, or five small ones for 5.5, or one large for 32.
  EXPECT_EQ(scene.loop().ordered_now, (std::vector<ScaleUp>{{"m", 1}}));
}

TEST(R5, OfEqualCostsTheSmallerNodeIsAdded) {
  Scene scene(rate(0));
  scene.nodes(1, amount(100, kGi, 110));
  scene.planner.set_types({node_type("large", amount(8000, 32 * kGi, 110), 2),
                           node_type("small", amount(4000, 16 * kGi, 110), 1)});
  for (int i = 0; i < 4; ++i)
    scene.pod("default/a" + std::to_string(i), app_shape("a", amount(2000, 8 * kGi)));
  EXPECT_EQ(scene.loop().ordered_now, (std::vector<ScaleUp>{{"small", 2}}));
}

Settings version_two(Sizing sizing) {
  Settings settings = rate(300000);
  settings.sizing = sizing;
  return settings;
}

/// R7's example: the biggest pods are 1000m with 1 GB and 10m with 10 GB.
void add_biggest_pods(Scene& scene) {
  scene.nodes(6, amount(2000, 12'000'000'000, 110));
  scene.pod("default/cpu-1", app_shape("cpu", amount(1000, 1'000'000'000)), "m-001");
  scene.pod("default/memory-1", app_shape("memory", amount(10, 10'000'000'000)), "m-002");
  Shape filler = app_shape("filler", amount(1700, 9'000'000'000));
  for (int i = 3; i <= 6; ++i)
    scene.pod("default/filler-" + std::to_string(i), filler, "m-00" + std::to_string(i));
  scene.pod("default/filler-1", app_shape("small", amount(900, 10'000'000'000)), "m-001");
  scene.pod("default/filler-2", app_shape("small", amount(1500, 1'000'000'000)), "m-002");
  scene.planner.set_types({node_type("m", amount(2000, 12'000'000'000, 110))});
}

TEST(R6, TheBiggestPodsFindRoom) {
  Scene scene(version_two(Sizing::kTwoBiggest));
  add_biggest_pods(scene);
  EXPECT_EQ(scene.fits_now(app_shape("new", amount(1000, 1'000'000'000))), 0);
  scene.settle();
  // The ordered nodes arrive.
  for (int n = 50; scene.upcoming() > 0; ++n) {
    ASSERT_TRUE(scene.planner.node_arrived(
        node_spec("m-" + std::to_string(n), amount(2000, 12'000'000'000, 110))));
  }
  scene.loop();
  EXPECT_GE(scene.fits_now(app_shape("new", amount(1700, 9'000'000'000))), 1);
  EXPECT_GE(scene.fits_now(app_shape("new", amount(10, 10'000'000'000))), 1);
}

TEST(R6, ADatabaseThatIsExemptKeepsNoHotNode) {
  Scene scene(version_two(Sizing::kTwoBiggest));
  scene.nodes(3, kNode);
  Shape database = app_shape("database", amount(3900, 15 * kGi));
  database.is_exempt = true;
  scene.pod("default/database-0", database, "m-001");
  scene.pod("default/web-1", app_shape("web", amount(500, kGi)), "m-002");
  const Plan& plan = scene.settle();
  EXPECT_EQ(row(plan, "default/Deployment/database").count, 0);
  EXPECT_EQ(row(plan, "default/Deployment/web").count, 1);
}

TEST(R7, EveryPodUpToTheBiggestInEachDimensionFindsRoom) {
  Scene scene(version_two(Sizing::kOneBiggest));
  add_biggest_pods(scene);
  scene.settle();
  for (int n = 50; scene.upcoming() > 0; ++n) {
    ASSERT_TRUE(scene.planner.node_arrived(
        node_spec("m-" + std::to_string(n), amount(2000, 12'000'000'000, 110))));
  }
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, "biggest").placed, 1);
  for (std::int64_t cpu = 100; cpu <= 1700; cpu += 400) {
    for (std::int64_t memory = 1; memory <= 10; memory += 3) {
      EXPECT_GE(scene.fits_now(probe_shape(amount(cpu, memory * 1'000'000'000))), 1)
          << cpu << "m " << memory << "G";
    }
  }
}

TEST(R7, WhereTheSumFitsNoNodeTheTwoBiggestAreKeptAndItSaysSo) {
  Scene scene(version_two(Sizing::kOneBiggest));
  const Resources node = amount(4000, 16 * kGi, 110);
  scene.nodes(10, node);
  scene.pod("default/cpu", app_shape("cpu", amount(3900, 2 * kGi)), "m-001");
  scene.pod("default/memory", app_shape("memory", amount(500, 15 * kGi)), "m-002");
  // The pods fit the small type one by one, their maximum fits only the large one (E8).
  scene.planner.set_types({node_type("m", amount(4000, 15 * kGi + kMi, 110), 1),
                           node_type("large", amount(8000, 32 * kGi, 110), 2)});
  const Plan& fits = scene.loop();
  EXPECT_EQ(row(fits, "biggest").count, 1);
  scene.planner.set_types({node_type("m", amount(3950, 15 * kGi, 110), 1)});
  Scene narrow(version_two(Sizing::kOneBiggest));
  narrow.nodes(10, node);
  narrow.pod("default/cpu", app_shape("cpu", amount(3900, 2 * kGi)), "m-001");
  narrow.pod("default/memory", app_shape("memory", amount(500, 15 * kGi)), "m-002");
  NodeType type = node_type("m", node);
  type.daemons = amount(0, 0, 0);
  narrow.planner.set_types({node_type("cpu", amount(4000, 14 * kGi, 110)),
                            node_type("memory", amount(3000, 16 * kGi, 110))});
  const Plan& two = narrow.loop();
  EXPECT_EQ(row(two, "biggest").count, 0);
  EXPECT_EQ(row(two, "default/Deployment/cpu").count, 1);
  EXPECT_EQ(row(two, "default/Deployment/memory").count, 1);
  ASSERT_EQ(two.unmet.size(), 1U);
  EXPECT_EQ(two.unmet[0].object, "placeholder biggest");
  EXPECT_NE(two.unmet[0].reason.find("R7"), std::string::npos);
}

TEST(R8, PodsThatAvoidEachOtherFindANodeOfTheirOwn) {
  Scene scene(rate(0));
  scene.nodes(3, kNode);
  Shape shape = app_shape("db", amount(500, kGi));
  shape.anti_affinity = {apart("db")};
  shape.mirrors = 1;
  scene.pod("default/db-0", shape, "m-001");
  scene.pod("default/db-1", shape, "m-002");
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, shape.name).placed, 1);
  EXPECT_EQ(scene.placed(), std::vector<std::string>{"m-003"});
  EXPECT_EQ(scene.fits_now(shape), 1);
  // The room moves on when a pod takes the node.
  scene.planner.set_types({node_type("m", kNode)});
  scene.pod("default/db-2", shape, "m-003");
  const Plan& next = scene.loop();
  EXPECT_EQ(next.ordered_now, (std::vector<ScaleUp>{{"m", 1}}));
}

TEST(R8, OnePodAZoneNeedsAZoneOfItsOwn) {
  Scene scene(rate(0));
  for (int i = 1; i <= 4; ++i) {
    NodeSpec spec = node_spec("m-" + std::to_string(i), kNode);
    spec.labels.push_back({"zone", i <= 2 ? "a" : "b"});
    scene.node(spec);
  }
  Shape shape = app_shape("db", amount(500, kGi));
  shape.anti_affinity = {apart("db", "zone")};
  shape.mirrors = 2;
  EXPECT_EQ(scene.fits_now(shape), 2);
  scene.pod("default/db-0", shape, "m-1");
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, shape.name).placed, 1);
  EXPECT_EQ(scene.fits_now(shape), 1);
  ASSERT_EQ(plan.unmet.size(), 1U);
}

TEST(R9, PodsWithANodeSelectorFindRoomOnTheirNodes) {
  Scene scene(rate(100000));
  add_busy_nodes(scene, 4, 3000);
  NodeSpec ssd = node_spec("ssd-1", kNode, "ssd");
  ssd.labels.push_back({"disk", "ssd"});
  scene.node(ssd);
  Shape shape = app_shape("cache", amount(3800, 4 * kGi));
  shape.node_selectors = {{{"disk", Requirement::Operator::kIn, {"ssd"}}}};
  shape.mirrors = 1;
  scene.pod("default/cache-0", shape, "ssd-1");
  NodeType with_ssd = node_type("ssd", kNode, 3);
  with_ssd.labels = {{"disk", "ssd"}};
  scene.planner.set_types({node_type("m", kNode, 1), with_ssd});
  const Plan& plan = scene.loop();
  // Cheaper nodes have no SSD.
  EXPECT_EQ(plan.ordered_now, (std::vector<ScaleUp>{{"ssd", 1}}));
}

TEST(R9, ATaintKeepsAwayWhatDoesNotTolerateIt) {
  Scene scene(rate(0));
  NodeSpec gpu = node_spec("gpu-1", kNode, "gpu");
  gpu.taints = {{"gpu", "yes", "NoSchedule"}};
  scene.node(gpu);
  EXPECT_EQ(scene.fits_now(app_shape("web", amount(500, kGi))), 0);
  Shape tolerant = app_shape("train", amount(500, kGi));
  tolerant.tolerations = {{"gpu", "", "", true}};
  EXPECT_EQ(scene.fits_now(tolerant), 8);
}

}  // namespace
}  // namespace bellows::slack
