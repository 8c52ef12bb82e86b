// Computes which pods would find room now, with no node added, and the obstacles for the others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "slack/core/cluster.hpp"
#include "slack/core/plan.hpp"

namespace bellows::slack {

/// Reasons why nodes do not take one more pod of a shape. Each node counts once, for the first
/// reason.
struct Obstacles {
  std::int64_t nodes = 0;
  std::int64_t unready = 0;
  std::int64_t cordoned = 0;
  std::int64_t selector = 0;  ///< node selector or node affinity
  std::int64_t taint = 0;
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t slots = 0;
  std::int64_t rival = 0;  ///< anti-affinity
  /// The node with most of the missing amount, among those that lack CPU or memory.
  std::string nearest{};
  Resources nearest_free{};
};

/// The guarantee for one shape (E9): `fits_now` pods of it, if nothing else arrives, are placed by
/// any scheduler without waiting for a node.
struct Guarantee {
  std::int64_t fits_now = 0;
  Obstacles obstacles{};
  std::string in_the_way{};  ///< obstacles for one more pod, as text
};

/// Returns how many pods of the shape fit beside the real pods of ready nodes, at most `most`;
/// placeholders yield.
Guarantee guarantee(const Cluster& cluster, ShapeId shape, std::int64_t most);

/// Returns why no type of node takes a pod of the shape; empty if one does.
std::vector<Unmet> no_type_takes(const Cluster& cluster, ShapeId shape,
                                 std::span<const NodeType> types);

/// Returns the shape of a pod with these requests and no constraint.
Shape probe_shape(const Resources& requests);

}  // namespace bellows::slack
