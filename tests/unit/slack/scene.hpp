// Small clusters, written in the order in which a reader thinks of them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "slack/core/guarantee.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

inline constexpr std::int64_t kGi = std::int64_t{1} << 30U;
inline constexpr std::int64_t kMi = std::int64_t{1} << 20U;

inline Resources amount(std::int64_t cpu_millicores, std::int64_t memory_bytes,
                        std::int64_t pods = 1) {
  return {cpu_millicores, memory_bytes, pods};
}

/// Of most nodes.
inline const Resources kNode = amount(4000, 16 * kGi, 110);

inline NodeSpec node_spec(std::string name, Resources allocatable, std::string type = "m") {
  NodeSpec spec;
  spec.name = std::move(name);
  spec.type = std::move(type);
  spec.allocatable = allocatable;
  spec.labels = {{std::string(kHostname), spec.name}};
  return spec;
}

inline NodeType node_type(std::string name, Resources allocatable, double price = 1) {
  NodeType type;
  type.name = std::move(name);
  type.allocatable = allocatable;
  type.price = price;
  return type;
}

inline Settings rate(std::int64_t millionths) {
  Settings settings;
  settings.rate.millionths = millionths;
  return settings;
}

/// "no two pods with app=NAME in one domain of `topology_key`"
inline AntiAffinity apart(const std::string& app, std::string_view topology_key = kHostname) {
  return {.selector = {{"app", Requirement::Operator::kIn, {app}}},
          .namespaces = {"default"},
          .topology_key = std::string(topology_key)};
}

inline Shape app_shape(const std::string& app, Resources requests) {
  Shape shape;
  shape.name = "default/Deployment/" + app;
  shape.space = "default";
  shape.labels = {{"app", app}};
  shape.requests = requests;
  return shape;
}

/// A planner with short calls that must succeed.
class Scene {
 public:
  explicit Scene(const Settings& settings) : planner(settings) {}

  void node(const NodeSpec& spec) {
    const auto put = cluster().put_node(spec);
    ASSERT_TRUE(put) << to_string(put.error());
  }
  void nodes(int count, Resources allocatable, const std::string& type = "m", int from = 1) {
    for (int i = from; i < from + count; ++i)
      node(node_spec(type + "-" + std::to_string(1000 + i).substr(1), allocatable, type));
  }
  void pod(const std::string& name, const Shape& shape, const std::string& on = "") {
    const auto put = cluster().put_pod({name, cluster().intern(shape), on});
    ASSERT_TRUE(put) << to_string(put.error());
  }
  void remove_pod(const std::string& name) { ASSERT_TRUE(cluster().remove_pod(name)); }
  void remove_node(const std::string& name) { ASSERT_TRUE(cluster().remove_node(name)); }

  Cluster& cluster() { return planner.cluster(); }
  const Plan& loop() { return planner.loop(); }

  /// Loops until no node is added; every ordered node arrives.
  const Plan& settle() {
    for (int i = 0; i < 50; ++i) {
      const Plan& plan = loop();
      if (plan.ordered_now.empty()) return plan;
    }
    ADD_FAILURE() << "nodes are added without end";
    return loop();
  }

  /// How many nodes of the type are ordered and not there yet.
  std::int64_t upcoming(const std::string& type = "m") {
    std::int64_t count = 0;
    for (NodeId id = 0; id < cluster().nodes(); ++id) {
      const Node& node = cluster().node(id);
      if (node.is_there && node.is_upcoming && node.type == type) ++count;
    }
    return count;
  }

  /// How many pods of the shape fit now.
  std::int64_t fits_now(const Shape& shape, std::int64_t most = 1000) {
    return guarantee(cluster(), cluster().intern(shape), most).fits_now;
  }
  /// Nodes with placeholders, each as often as it holds one.
  std::vector<std::string> placed() {
    std::vector<std::string> nodes;
    for (const auto& [id, one] : planner.placeholders().all()) {
      nodes.push_back(one.node == kNoNode ? "" : cluster().node(one.node).name);
    }
    return nodes;
  }

  Planner planner;
};

inline ShapePlan row(const Plan& plan, std::string_view shape) {
  for (const ShapePlan& one : plan.placeholders) {
    if (one.shape == shape) return one;
  }
  return {};
}

}  // namespace bellows::slack
