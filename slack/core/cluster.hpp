// Nodes, pods and free room, kept up to date change by change.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "slack/core/free_index.hpp"
#include "slack/core/name_table.hpp"
#include "slack/core/node.hpp"
#include "slack/core/short_text.hpp"
#include "slack/core/work.hpp"

namespace bellows::slack {

/// Kind of a holder of room: real pods take that of placeholders, placeholders take only free room.
enum class Holder : std::uint8_t { kPod, kPlaceholder };

/// One node of the table. Members that each change of a pod uses are adjacent, because most of the
/// time of many changes is spent waiting for memory.
struct Node {
  std::string name{};
  Resources allocatable{};
  Resources used{};     ///< by pods, daemon sets included
  Resources daemons{};  ///< the part of `used` that leaves with the node
  Resources held{};     ///< by placeholders
  std::uint32_t profile = 0;
  bool is_there = false;  ///< false: the entry is free for another node
  bool is_ready = false;
  bool is_schedulable = false;
  bool is_upcoming = false;   ///< ordered, not there yet; pods that wait for it are assigned to it
  bool is_closed = false;     ///< closed while its removal is simulated
  bool is_touched = false;    ///< changed since the last take_touched()
  bool is_stale = false;      ///< the indexes are out of date
  bool can_remove = true;     ///< no annotation forbids it
  std::uint32_t assumed = 0;  ///< number of assumed pods in `pods`
  std::vector<PodId> pods{};  ///< includes assumed ones
  std::vector<ShapeId> held_shapes{};  ///< one for each placeholder
  std::string type{};
  Labels labels{};
  std::vector<Taint> taints{};

  bool is_open() const {
    return is_there && is_schedulable && !is_closed && (is_ready || is_upcoming);
  }
  /// Returns true if it counts for the capacity of the cluster: unready and cordoned nodes offer
  /// none.
  bool is_counted() const { return is_there && is_schedulable && (is_ready || is_upcoming); }
  Resources free() const { return allocatable - used - held; }
  Resources free_for_pods() const { return allocatable - used; }
  /// Returns the part of the capacity that its movable pods request, by the fuller of CPU and
  /// memory. Neither daemon sets nor placeholders count (R3).
  double utilisation() const;
};

/// A pod in one cache line.
struct alignas(64) Pod {
  ShortText name{};
  ShapeId shape = 0;
  NodeId node = kNoNode;
  /// Index in the list of pending pods of its shape, or of assumed pods; it is in one of them at
  /// most.
  std::uint32_t place = 0;
  bool is_there = false;
  /// Pending, but expected on `node` because it fits there. The scheduler may decide otherwise.
  bool is_assumed = false;
};
static_assert(sizeof(Pod) == 64);

/// The state of a cluster. All changes are O(log nodes) or O(pods of the node); nothing scans.
/// Errors are kMalformed and kNotFound, and name the object, the field and the value; after an
/// error nothing has changed. Owner: one planner. Thread: that of its owner.
class Cluster {
 public:
  Cluster() = default;
  Cluster(const Cluster&) = delete;  // the indexes refer to the nodes
  Cluster& operator=(const Cluster&) = delete;

  ShapeId intern(Shape shape);
  const Shapes& shapes() const { return shapes_; }

  /// Adds a node, or changes it. An unchanged node is no change.
  Result<NodeId> put_node(const NodeSpec& spec);
  /// Removes a node with its daemon pods; its other pods become pending.
  Result<void> remove_node(std::string_view name);
  /// Adds a pod, moves it, or changes its shape.
  Result<void> put_pod(const PodSpec& spec);
  Result<void> remove_pod(std::string_view name);

  /// Starts to load the memory of pods with these names, which are put or removed next, for all at
  /// once instead of one after the other. It changes nothing. At most kAhead names are used.
  void fetch_ahead(std::span<const std::string_view> names) const;
  static constexpr std::size_t kAhead = 64;

  /// Adds an ordered node, with the daemon sets of its type.
  NodeId add_upcoming(const NodeType& type, std::string name);
  /// Replaces the ordered `node` by the real one, which gets its place, pods and placeholders.
  Result<void> arrive(NodeId node, const NodeSpec& spec);
  void drop_upcoming(NodeId node);

  // Nodes have ids up to nodes(); entries that are not there are included.
  std::size_t nodes() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[id]; }
  std::size_t pods() const { return pod_ids_.size(); }
  const Pod& pod(PodId id) const { return pods_[id]; }
  /// Returns the node of a pod; nullopt while it is pending or not there.
  std::optional<NodeId> node_of(std::string_view pod) const;
  /// Returns kNoNode if there is none.
  NodeId find_node(std::string_view name) const;

  /// Returns how many more pods of the shape fit on an open node, at most `most`. kPod ignores
  /// placeholders, because real pods displace them.
  std::int64_t fitting(ShapeId shape, NodeId node, Holder holder, std::int64_t most) const;
  /// Returns true if selectors and taints permit the shape on the node.
  bool is_permitted(ShapeId shape, NodeId node) const;
  /// Returns true if no running pod (or, for a placeholder, no other placeholder) excludes it by
  /// anti-affinity.
  bool has_no_rival(ShapeId shape, NodeId node, Holder holder) const;
  /// Returns the domains of `node`, except hostnames, in which only one pod of the shape may run.
  std::vector<std::uint64_t> exclusive_domains(ShapeId shape, NodeId node) const;

  void assume(PodId pod, NodeId node);
  void forget_assumption(PodId pod);
  void hold(ShapeId shape, NodeId node);
  void release(ShapeId shape, NodeId node);
  /// Closes a node: nothing is placed on it.
  void close(NodeId node);
  void reopen(NodeId node);
  /// Moves a pod, to be moved back, for simulations.
  void move(PodId pod, NodeId node);

  /// Returns the pending pods of each shape that is not a daemon's. Assumed pods are not included.
  const std::unordered_map<ShapeId, std::vector<PodId>>& pending() const { return pending_; }
  std::vector<PodId> assumed() const;

  /// Returns open nodes by free CPU or free memory, then by name: ready ones or upcoming ones. The
  /// list is brought up to date by the next call.
  const FreeList& by_free(bool is_memory, bool is_upcoming);
  /// Returns true if the shape takes a larger part of the cluster's memory than of its CPU.
  bool is_memory_bound(ShapeId shape) const;

  // Sums.
  /// Returns allocatable minus daemon sets of counted nodes; counted_nodes() has their number.
  Resources capacity() const { return capacity_; }
  std::int64_t counted_nodes() const { return counted_nodes_; }
  /// Returns the requests of all pods but those of daemon sets, pending ones included.
  Resources requested() const { return requested_; }
  /// Returns what pods leave free on ready nodes that are not cordoned; placeholders do not count.
  Resources room() const { return room_; }
  /// Returns the shapes with mirrors.
  const std::vector<ShapeId>& mirrored() const { return mirrored_; }
  std::int64_t pods_of(ShapeId shape) const { return pods_of_shape_[shape]; }
  std::int64_t nodes_of(std::string_view type) const;
  /// Returns the names of the types of all nodes, sorted.
  std::vector<std::string> types() const;

  /// Returns the nodes that changed since the last call, each once, by name.
  std::vector<NodeId> take_touched();
  /// Returns a number that increases with every change of nodes, pods or shapes.
  std::uint64_t version() const { return version_; }
  /// Returns a number that increases when the terms of anti-affinity may have become true or false
  /// somewhere.
  std::uint64_t rivalry_version() const { return rivalry_version_; }

  mutable Work work;

 private:
  /// Nodes with equal relevant labels and taints are equal for every shape.
  struct Profile {
    Labels labels{};
    std::vector<Taint> taints{};
    std::vector<std::uint32_t> domains{};  ///< by term
  };
  struct Rivals {
    std::int32_t pods_with = 0;
    std::int32_t pods_matching = 0;
    std::int32_t held_with = 0;
    std::int32_t held_matching = 0;
  };
  static constexpr std::uint32_t kNoDomain = 0xffffffffU;

  NodeId new_node();
  void set_node(NodeId id, const NodeSpec& spec);
  void erase_node(NodeId id);
  void attach(PodId pod, NodeId node);
  void detach(PodId pod);
  std::optional<PodId> find_pod(std::string_view name, std::uint32_t hash) const;
  PodId new_pod(std::string_view name, std::uint32_t hash);
  void erase_pod(PodId pod, std::uint32_t hash);
  void make_pending(PodId pod);
  void end_pending(PodId pod);
  void touch(NodeId node);
  void add_to_sums(const Node& node, int sign);
  void add_room(const Node& node, int sign);
  void mark_stale(NodeId node);
  void reindex();
  void set_assumed(PodId pod, bool is_assumed);
  /// Runs `change` on the node and keeps the sums correct; the indexes are updated on their next
  /// use.
  template <class Change>
  void update(NodeId id, Change change) {
    add_to_sums(nodes_[id], -1);
    change(nodes_[id]);
    add_to_sums(nodes_[id], 1);
    touch(id);
  }

  void count_rivals(ShapeId shape, NodeId node, Holder holder, std::int32_t sign);
  const Rivals* rivals(TermId term, NodeId node) const;
  std::uint64_t domain_key(TermId term, NodeId node) const;
  std::uint32_t domain_of(TermId term, NodeId node) const;
  std::uint32_t intern_profile(const Node& node);
  void reprofile();

  Shapes shapes_;
  std::vector<Node> nodes_;
  std::vector<Pod> pods_;
  std::vector<NodeId> free_nodes_;
  std::vector<NodeId> erased_nodes_;  // free after take_touched() has returned them
  std::vector<PodId> free_pods_;
  NameTable node_ids_;
  NameTable pod_ids_;
  std::unordered_map<ShapeId, std::vector<PodId>> pending_;
  std::vector<std::int64_t> pods_of_shape_;
  std::vector<ShapeId> mirrored_;
  std::unordered_map<std::string, std::int64_t> nodes_of_type_;
  std::vector<PodId> assumed_;
  FreeIndex index_;
  std::vector<NodeId> stale_;

  std::unordered_map<std::string, std::uint32_t> profile_ids_;
  mutable std::vector<Profile> profiles_;
  mutable std::vector<std::vector<std::uint8_t>> permitted_;  // by shape, then profile; 0: unknown
  mutable std::unordered_map<std::string, std::uint32_t> domain_ids_;
  std::unordered_map<std::uint64_t, Rivals> rivals_;

  std::vector<NodeId> touched_;
  Resources capacity_;
  Resources requested_;
  Resources room_;
  std::int64_t counted_nodes_ = 0;
  std::uint64_t version_ = 1;
  std::uint64_t rivalry_version_ = 1;
  std::size_t relevant_keys_seen_ = 0;
  std::size_t terms_seen_ = 0;
};

}  // namespace bellows::slack
