// Nodes that boot, in the planner that a snapshot is loaded into.
#include "slack/format/snapshot.hpp"

#include <gtest/gtest.h>

#include "tests/unit/slack/scene.hpp"

namespace bellows::slack {
namespace {

/// A node of type large that boots, and pods that wait beside it.
struct Booting {
  std::int64_t daemon = 0;  ///< millicores of a daemon pod on the node
  std::int64_t web = 0;     ///< of another pod on it
  bool is_schedulable = true;
  bool has_failed_node = false;  ///< another large one, without capacity, failed before
  std::vector<std::int64_t> waiting{};
};

/// What is ordered and unmet in a cluster of that node of 32 cores and a ready small one of 4.
std::string told_beside(const Booting& booting) {
  Snapshot snapshot;
  snapshot.nodes = {node_spec("n1", kNode, "small"),
                    node_spec("n2", amount(32'000, 128 * kGi, 110), "large")};
  snapshot.nodes[1].is_booting = true;
  snapshot.nodes[1].is_ready = false;
  snapshot.nodes[1].is_schedulable = booting.is_schedulable;
  if (booting.has_failed_node) {
    snapshot.nodes.push_back(node_spec("n3", {}, "large"));
    snapshot.nodes.back().is_ready = false;
  }
  const auto add = [&](const std::string& name, std::int64_t millicores, const std::string& node) {
    snapshot.pods.push_back({"d/" + name, node, app_shape(name, amount(millicores, kGi))});
  };
  if (booting.daemon > 0) {
    add("agent", booting.daemon, "n2");
    snapshot.pods.back().shape.is_daemon = true;
  }
  if (booting.web > 0) add("web", booting.web, "n2");
  for (const std::int64_t millicores : booting.waiting) {
    add("p" + std::to_string(snapshot.pods.size()), millicores, "");
  }
  Planner planner(rate(0));
  if (const auto loaded = load(snapshot, {}, planner); !loaded) return to_string(loaded.error());
  std::string told;
  for (const Unmet& problem : snapshot.problems) told += problem.object + ": " + problem.reason;
  const Plan& plan = planner.loop();
  for (const auto& [type, count] : plan.ordered_now) {
    told += "order " + std::to_string(count) + " " + type;
  }
  for (const Unmet& unmet : plan.unmet) told += unmet.object + ": " + unmet.reason;
  return told;
}

TEST(Snapshot, ATypeOfWhichAllNodesBootIsKnown) {
  EXPECT_EQ(told_beside({.waiting = {20'000}}), "") << "it has a place on the node that boots";
  EXPECT_EQ(told_beside({.waiting = {20'000, 20'000}}), "order 1 large");
  EXPECT_EQ(told_beside({.has_failed_node = true, .waiting = {20'000, 20'000}}), "order 1 large");
}

TEST(Snapshot, ANodeThatBootsHasTheDaemonSetsThatAreOnIt) {
  EXPECT_EQ(told_beside({.daemon = 8000, .waiting = {24'000}}), "");
  EXPECT_EQ(told_beside({.daemon = 8000, .waiting = {30'000}}),
            "pod d/p1: no type of node is that large: want at most 24000m");
  EXPECT_EQ(told_beside({.daemon = 8000, .web = 4000, .waiting = {24'000}}), "order 1 large");
}

TEST(Snapshot, ACordonedNodeThatBootsKeepsItsPodsAndTakesNoOthers) {
  EXPECT_EQ(told_beside({.daemon = 8000, .web = 1000, .is_schedulable = false}), "");
  EXPECT_EQ(told_beside({.web = 1000, .is_schedulable = false, .waiting = {20'000}}),
            "order 1 large");
}

}  // namespace
}  // namespace bellows::slack
