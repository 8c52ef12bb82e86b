// Places all pods of a shape in one pass over the nodes.
#pragma once

#include <cstdint>
#include <functional>

#include "slack/core/cluster.hpp"
#include "slack/core/placeholders.hpp"

namespace bellows::slack {

/// Selects ready or ordered nodes.
enum class Where : std::uint8_t { kReady, kUpcoming };

/// Puts `count` pods of the shape on the node.
using Put = std::function<void(NodeId node, std::int64_t count)>;

/// Places pods by best fit: fills the open nodes with the least free room first (CPU or memory,
/// whichever the shape takes more of), by name where that is equal. Each node is visited once,
/// because a node without room for one pod of a shape has no room for the next one either (R1-1).
/// Returns how many of `count` are left.
std::int64_t fill(Cluster& cluster, ShapeId shape, Holder holder, Where where, std::int64_t count,
                  const Put& put);

/// Does the same with real pods on nodes that have placeholders, as if these were absent: the
/// caller displaces them.
std::int64_t fill_over(Cluster& cluster, const Placeholders& placeholders, ShapeId shape,
                       Where where, std::int64_t count, const Put& put);

/// Orders shapes: the largest part of the cluster first, then by name and requests.
class LargestFirst {
 public:
  explicit LargestFirst(const Cluster& cluster) : cluster_(cluster) {}
  bool operator()(ShapeId a, ShapeId b) const;

 private:
  double part_of(const Resources& requests) const;
  const Cluster& cluster_;
};

}  // namespace bellows::slack
