// The placeholders: reserved room, its nodes, and the placeholders that wait for a node.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "slack/core/cluster.hpp"

namespace bellows::slack {

using PlaceholderId = std::uint64_t;  ///< increasing in the order of creation

struct Placeholder {
  ShapeId shape = 0;
  NodeId node = kNoNode;       ///< kNoNode: pending
  NodeId last_node = kNoNode;  ///< its node before it became pending
};

/// Acts as one ReplicaSet: it owns all placeholders and keeps them over the loops (S2, S4). Owner:
/// a planner; the cluster outlives it.
class Placeholders {
 public:
  explicit Placeholders(Cluster& cluster) : cluster_(cluster) {}

  PlaceholderId add(ShapeId shape);
  void remove(PlaceholderId id);
  /// Places a pending one on a node that has room.
  void place(PlaceholderId id, NodeId node);
  /// Makes it pending.
  void evict(PlaceholderId id);
  /// Moves it there without checking the room.
  void move(PlaceholderId id, NodeId node);
  /// Changes its shape and makes it pending.
  void reshape(PlaceholderId id, ShapeId shape);

  const Placeholder& operator[](PlaceholderId id) const { return all_.at(id); }
  const std::map<PlaceholderId, Placeholder>& all() const { return all_; }
  std::size_t size() const { return all_.size(); }
  /// Returns the placeholders on the node, by id.
  std::vector<PlaceholderId> on(NodeId node) const;
  /// Returns the nodes that have placeholders, in no order.
  std::vector<NodeId> nodes() const;
  std::vector<PlaceholderId> of(ShapeId shape) const;
  std::vector<PlaceholderId> pending_of(ShapeId shape) const;
  std::int64_t count(ShapeId shape) const;
  std::int64_t pending(ShapeId shape) const;
  std::vector<ShapeId> shapes() const;

  /// Returns the number of placements on another node than before, since the last call.
  std::int64_t take_moved(ShapeId shape);

 private:
  Cluster& cluster_;
  std::map<PlaceholderId, Placeholder> all_;
  // Sorted. Nodes without placeholders keep their entry, because placeholders return to most of
  // them.
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
