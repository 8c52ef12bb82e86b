// The placeholders: room that is kept, on which node it is, and what waits for a node.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "slack/core/cluster.hpp"

namespace bellows::slack {

using PlaceholderId = std::uint64_t;  ///< in the order of creation: the youngest has the highest

struct Placeholder {
  ShapeId shape = 0;
  NodeId node = kNoNode;       ///< kNoNode: pending
  NodeId last_node = kNoNode;  ///< where it was before it became pending
};

/// One ReplicaSet, as it were: it owns all placeholders and retains them over the loops (S2, S4).
/// Owner: a planner; the cluster outlives it.
class Placeholders {
 public:
  explicit Placeholders(Cluster& cluster) : cluster_(cluster) {}

  PlaceholderId add(ShapeId shape);
  void remove(PlaceholderId id);
  /// A pending one gets a node that has room.
  void place(PlaceholderId id, NodeId node);
  /// It becomes pending.
  void evict(PlaceholderId id);
  /// Moves it there; the room is not checked.
  void move(PlaceholderId id, NodeId node);
  /// The same room under another shape; it becomes pending.
  void reshape(PlaceholderId id, ShapeId shape);

  const Placeholder& operator[](PlaceholderId id) const { return all_.at(id); }
  const std::map<PlaceholderId, Placeholder>& all() const { return all_; }
  std::size_t size() const { return all_.size(); }
  /// By id.
  std::vector<PlaceholderId> on(NodeId node) const;
  /// Nodes that hold some, in no order.
  std::vector<NodeId> nodes() const;
  std::vector<PlaceholderId> of(ShapeId shape) const;
  std::vector<PlaceholderId> pending_of(ShapeId shape) const;
  std::int64_t count(ShapeId shape) const;
  std::int64_t pending(ShapeId shape) const;
  std::vector<ShapeId> shapes() const;

  /// Placements on another node than before, since the last call.
  std::int64_t take_moved(ShapeId shape);

 private:
  Cluster& cluster_;
  std::map<PlaceholderId, Placeholder> all_;
  // Sorted. Nodes that held some keep their entry: placeholders come back to most of them.
  std::unordered_map<NodeId, std::vector<PlaceholderId>> by_node_;
  struct Group {
    std::vector<PlaceholderId> ids{};      // sorted
    std::vector<PlaceholderId> pending{};  // the part without a node, sorted
  };
  void leave_group(PlaceholderId id);

  std::map<ShapeId, Group> by_shape_;
  std::map<ShapeId, std::int64_t> moved_;
  PlaceholderId next_ = 1;
};

}  // namespace bellows::slack
