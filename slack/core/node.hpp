// Nodes and pods as the API server lists them, and types of nodes that can be added.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "slack/core/constraints.hpp"
#include "slack/core/resources.hpp"
#include "slack/core/shape.hpp"

namespace bellows::slack {

using NodeId = std::uint32_t;
using PodId = std::uint32_t;
inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();

struct NodeSpec {
  std::string name{};
  std::string type{};  ///< its node group or instance type
  Resources allocatable{};
  Labels labels{};
  std::vector<Taint> taints{};
  bool is_ready = true;
  /// Not ready yet, but expected to be soon: it counts as an ordered node.
  bool is_booting = false;
  bool is_schedulable = true;  ///< not cordoned
  bool can_remove = true;      ///< no annotation forbids it

  bool operator==(const NodeSpec&) const = default;
};

/// A pod as an argument: the texts belong to the caller.
struct PodSpec {
  std::string_view name{};  ///< "NAMESPACE/NAME"
  ShapeId shape = 0;
  std::string_view node{};  ///< empty: pending
};

/// A node group: nodes of one type that can be added and removed.
struct NodeType {
  std::string name{};
  Resources allocatable{};
  Resources daemons{};  ///< requests of the daemon sets on each new node
  Labels labels{};
  std::vector<Taint> taints{};
  double price = 1;  ///< of one node, in any unit
  std::int64_t min_nodes = 0;
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();

  Resources room() const { return at_least_zero(allocatable - daemons); }
};

}  // namespace bellows::slack
