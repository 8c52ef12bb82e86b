// The specifications S1 to S7 of the resource slack design.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

TEST(S1, PodsThatNeedTheSameAreOneShape) {
  Scene scene(rate(0));
  const ShapeId one = scene.cluster().intern(app_shape("web", amount(100, kMi)));
  EXPECT_EQ(scene.cluster().intern(app_shape("web", amount(100, kMi))), one);
  EXPECT_NE(scene.cluster().intern(app_shape("web", amount(101, kMi))), one);
  EXPECT_NE(scene.cluster().intern(app_shape("api", amount(100, kMi))), one);
}

TEST(S2, APodDisplacesTheYoungestPlaceholdersFirst) {
  Scene scene(rate(0));
  scene.nodes(1, amount(2000, 16 * kGi, 110));
  const ShapeId shape = scene.cluster().intern(app_shape("room", amount(500, kGi)));
  scene.planner.set_wanted({{"room", "test", shape, 4}});
  scene.loop();
  EXPECT_EQ(row(scene.loop(), "room").placed, 4);
  scene.pod("default/new", app_shape("web", amount(600, kGi)), "m-001");
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, "room").placed, 2);
  EXPECT_EQ(plan.work.evictions, 2U);
  EXPECT_EQ(scene.placed(), (std::vector<std::string>{"m-001", "m-001", "", ""}));
}

TEST(S2, APushedOutPlaceholderFindsAnotherNodeAndTheOthersStay) {
  Scene scene(rate(0));
  scene.nodes(2, amount(1000, 16 * kGi, 110));
  const ShapeId shape = scene.cluster().intern(app_shape("room", amount(500, kGi)));
  scene.planner.set_wanted({{"room", "test", shape, 2}});
  scene.loop();
  EXPECT_EQ(scene.placed(), (std::vector<std::string>{"m-001", "m-001"}));
  scene.pod("default/new", app_shape("web", amount(500, kGi)), "m-001");
  EXPECT_EQ(scene.loop().moved(), 1);
  EXPECT_EQ(scene.placed(), (std::vector<std::string>{"m-001", "m-002"}));
}

TEST(S2, PlaceholdersAreAddedAndRemovedToTheCount) {
  Scene scene(rate(0));
  scene.nodes(2, kNode);
  const ShapeId shape = scene.cluster().intern(app_shape("room", amount(100, kGi / 8)));
  for (const std::int64_t count : {3, 7, 2, 0, 1}) {
    scene.planner.set_wanted({{"room", "test", shape, count}});
    EXPECT_EQ(row(scene.loop(), "room").count, count);
  }
}

TEST(S2, RemovedOnesAreThoseOnTheLeastUsedNodes) {
  Scene scene(rate(0));
  scene.nodes(2, amount(1000, 16 * kGi, 110));
  scene.pod("default/a", app_shape("a", amount(500, kGi)), "m-001");
  const ShapeId shape = scene.cluster().intern(app_shape("room", amount(500, kGi)));
  scene.planner.set_wanted({{"room", "test", shape, 3}});
  scene.loop();
  scene.planner.set_wanted({{"room", "test", shape, 1}});
  scene.loop();
  EXPECT_EQ(scene.placed(), std::vector<std::string>{"m-001"});
}

TEST(S3, APlaceholderFitsAnEmptyNodeBesideItsDaemonSets) {
  Scene scene(rate(100000));
  scene.nodes(1, amount(64000, 4 * kGi, 110), "cpu");
  scene.nodes(1, amount(2000, 256 * kGi, 110), "memory");
  NodeType memory = node_type("memory", amount(2000, 256 * kGi, 110));
  memory.daemons = amount(500, kGi);
  scene.planner.set_types({node_type("cpu", amount(64000, 4 * kGi, 110)), memory});
  EXPECT_EQ(row(scene.loop(), "standard").requests, amount(1500, 26 * kGi));
}

TEST(S4, OneSetOwnsAllPlaceholdersAndRetainsThem) {
  Scene scene(rate(200000));
  scene.nodes(5, kNode);
  Shape mirrored = app_shape("web", amount(100, kGi));
  mirrored.mirrors = 2;
  scene.pod("default/web-1", mirrored, "m-001");
  scene.loop();
  const std::size_t count = scene.planner.placeholders().size();
  EXPECT_EQ(count, 7U);  // 0.2 * 5 * 5 and 2 mirrors
  const PlaceholderId first = scene.planner.placeholders().all().begin()->first;
  scene.pod("default/web-2", mirrored, "m-002");
  scene.loop();
  EXPECT_EQ(scene.planner.placeholders().size(), count);
  EXPECT_EQ(scene.planner.placeholders().all().begin()->first, first);
}

TEST(S5, TheRateIsOfCapacityOrOfWhatIsRequested) {
  for (const Base base : {Base::kCapacity, Base::kRequested}) {
    Settings settings = rate(100000);
    settings.base = base;
    Scene scene(settings);
    scene.nodes(10, kNode);
    for (int i = 0; i < 10; ++i)
      scene.pod("default/p" + std::to_string(i), app_shape("p", amount(2000, 4 * kGi)), "m-001");
    const Plan& plan = scene.loop();
    EXPECT_EQ(plan.desired,
              base == Base::kCapacity ? amount(4000, 16 * kGi, 0) : amount(2000, 4 * kGi, 0));
    // Of a part of 800m and 3.2 GiB: 5, or 2.5 by CPU.
    EXPECT_EQ(row(plan, "standard").count, base == Base::kCapacity ? 5 : 3);
  }
}

TEST(S5, TheCapacityIsThatOfReadyNodesWithoutDaemonSets) {
  Scene scene(rate(100000));
  scene.nodes(4, kNode);
  NodeSpec unready = node_spec("m-009", kNode);
  unready.is_ready = false;
  scene.node(unready);
  NodeSpec cordoned = node_spec("m-010", kNode);
  cordoned.is_schedulable = false;
  scene.node(cordoned);
  Shape agent = app_shape("agent", amount(500, kGi));
  agent.is_daemon = true;
  for (int i = 1; i <= 4; ++i)
    scene.pod("default/agent-" + std::to_string(i), agent, "m-00" + std::to_string(i));
  EXPECT_EQ(scene.loop().desired, amount(1400, 6442450944, 0));  // a tenth of 4 * (3.5, 15 Gi)
}

TEST(S6, AStandardPlaceholderIsNoLargerThanTheBiggestPod) {
  Settings settings = rate(500000);
  settings.sizing = Sizing::kTwoBiggest;
  Scene scene(settings);
  scene.nodes(4, kNode);
  scene.pod("default/web", app_shape("web", amount(300, kGi)), "m-001");
  const ShapePlan standard = row(scene.loop(), "standard");
  EXPECT_EQ(standard.requests, amount(300, kGi));
  // What is left of 8000m and 32 GiB beside the biggest pod, by memory 31.
  EXPECT_EQ(standard.count, 31);
}

TEST(S7, AnnotatedPodsAreMirroredHoweverLargeTheyAre) {
  Scene scene(rate(100000));
  scene.nodes(5, kNode);
  Shape big = app_shape("big", amount(3500, 12 * kGi));
  big.mirrors = 2;
  scene.pod("default/big-1", big, "m-001");
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, big.name).placed, 2);
  EXPECT_EQ(row(plan, big.name).requests, amount(3500, 12 * kGi));
  // Without a pod there is nothing to mirror any more.
  scene.remove_pod("default/big-1");
  EXPECT_EQ(row(scene.loop(), big.name).count, 0);
}

TEST(OrderedNodes, HostWhatWaitsForThemUntilTheyArrive) {
  Scene scene(rate(0));
  scene.nodes(1, amount(100, kGi, 110));
  scene.planner.set_types({node_type("m", kNode)});
  scene.pod("default/a", app_shape("a", amount(2000, kGi)));
  EXPECT_EQ(scene.loop().ordered_now, (std::vector<ScaleUp>{{"m", 1}}));
  EXPECT_TRUE(scene.loop().ordered_now.empty());  // no second order for the same pod (E14)
  EXPECT_EQ(scene.upcoming(), 1);
  ASSERT_TRUE(scene.planner.node_arrived(node_spec("m-002", kNode)));
  const Plan& plan = scene.loop();
  EXPECT_EQ(scene.upcoming(), 0);
  EXPECT_TRUE(plan.scale_down.empty() || plan.scale_down.front() != "m-002");
}

TEST(OrderedNodes, ThatNeverComeAreOrderedAnew) {
  Scene scene(rate(0));
  scene.nodes(1, amount(100, kGi, 110));
  scene.planner.set_types({node_type("m", kNode)});
  scene.pod("default/a", app_shape("a", amount(2000, kGi)));
  scene.loop();
  scene.planner.order_failed("m", 1);
  EXPECT_EQ(scene.loop().ordered_now, (std::vector<ScaleUp>{{"m", 1}}));
}

TEST(OrderedNodes, ReachTheFixedPointOfACapacityBasedRate) {
  Scene scene(rate(100000));
  const Resources node = amount(16000, 64 * kGi, 110);
  scene.planner.set_types({node_type("m", node)});
  Shape full = app_shape("full", amount(16000, 64 * kGi));
  for (int i = 0; i < 5000; ++i) {
    const std::string name = "m-" + std::to_string(10000 + i);
    scene.node(node_spec(name, node));
    scene.pod("default/" + name, full, name);
  }
  std::vector<std::int64_t> added;
  for (int i = 0; i < 6; ++i) {
    const Plan& plan = scene.loop();
    added.push_back(plan.ordered_now.empty() ? 0 : plan.ordered_now[0].nodes);
  }
  EXPECT_EQ(added, (std::vector<std::int64_t>{500, 50, 5, 1, 0, 0}));
  EXPECT_EQ(row(scene.loop(), "standard").count, 2778);
}

TEST(OrderedNodes, StayAtTheFirstOrderIfTheRateIsOfWhatIsRequested) {
  Settings settings = rate(100000);
  settings.base = Base::kRequested;
  Scene scene(settings);
  const Resources node = amount(16000, 64 * kGi, 110);
  scene.planner.set_types({node_type("m", node)});
  Shape full = app_shape("full", amount(16000, 64 * kGi));
  for (int i = 0; i < 500; ++i) {
    const std::string name = "m-" + std::to_string(1000 + i);
    scene.node(node_spec(name, node));
    scene.pod("default/" + name, full, name);
  }
  EXPECT_EQ(scene.loop().ordered_now, (std::vector<ScaleUp>{{"m", 50}}));
  EXPECT_TRUE(scene.loop().ordered_now.empty());
}

TEST(Sizes, StayWhenANodeMoreChangesTheAverageALittle) {
  Scene scene(rate(100000));
  scene.nodes(10, kNode);
  const Resources before = row(scene.loop(), "standard").requests;
  const auto placed = scene.placed();
  scene.nodes(1, amount(4400, 16 * kGi, 110), "m", 90);
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, "standard").requests, before);
  EXPECT_EQ(plan.moved(), 0);
  const auto after = scene.placed();
  ASSERT_GE(after.size(), placed.size());
  EXPECT_TRUE(std::equal(placed.begin(), placed.end(), after.begin()));
}

TEST(Sizes, AnotherNodeTypeChangesSizesAndKeepsPlaceholders) {
  Scene scene(rate(100000));
  scene.nodes(10, kNode);
  scene.loop();
  scene.nodes(10, amount(8000, 32 * kGi, 110), "large");
  const Plan& plan = scene.loop();
  EXPECT_EQ(row(plan, "standard").requests.cpu_millicores, 1200);
  EXPECT_EQ(plan.moved(), 2);  // five parts of 800m filled a node; only three of 1200m fit there
}

}  // namespace
}  // namespace bellows::slack
