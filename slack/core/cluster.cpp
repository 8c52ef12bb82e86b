#include "slack/core/cluster.hpp"

#include <algorithm>

namespace bellows::slack {

namespace {

Result<void> check(const NodeSpec& spec) {
  const auto wrong = [&spec](std::string_view field, std::int64_t value) {
    return fail(ErrorKind::kMalformed, "node " + spec.name + ": " + std::string(field),
                std::to_string(value) + ": want 0 or more");
  };
  if (spec.name.empty()) return fail(ErrorKind::kMalformed, "node: name", "\"\": want a name");
  if (spec.allocatable.cpu_millicores < 0) return wrong("cpu", spec.allocatable.cpu_millicores);
  if (spec.allocatable.memory_bytes < 0) return wrong("memory", spec.allocatable.memory_bytes);
  if (spec.allocatable.pods < 0) return wrong("pods", spec.allocatable.pods);
  return {};
}

bool is_as(const Node& node, const NodeSpec& spec) {
  return !node.is_upcoming && node.type == spec.type && node.allocatable == spec.allocatable &&
         node.is_ready == spec.is_ready && node.is_schedulable == spec.is_schedulable &&
         node.can_remove == spec.can_remove && node.labels == spec.labels &&
         node.taints == spec.taints;
}

}  // namespace

double Node::utilisation() const {
  const Resources room = allocatable - daemons;
  const Resources movable = used - daemons;
  const auto part = [](std::int64_t have, std::int64_t all) {
    return all > 0 ? static_cast<double>(have) / static_cast<double>(all) : 1.0;
  };
  return std::max(part(movable.cpu_millicores, room.cpu_millicores),
                  part(movable.memory_bytes, room.memory_bytes));
}

ShapeId Cluster::intern(Shape shape) {
  const ShapeId id = shapes_.intern(std::move(shape));
  if (id >= pods_of_shape_.size()) {
    pods_of_shape_.resize(id + 1, 0);
    permitted_.resize(id + 1);
    if (shapes_[id].mirrors > 0) mirrored_.push_back(id);
  }
  // A new label or term changes the profiles of all nodes and pods so far.
  if (shapes_.relevant_keys().size() != relevant_keys_seen_ || shapes_.terms() != terms_seen_)
    reprofile();
  return id;
}

std::optional<PodId> Cluster::find_pod(std::string_view name, std::uint32_t hash) const {
  return pod_ids_.find(name, hash,
                       [this](PodId id) -> std::string_view { return pods_[id].name.view(); });
}

NodeId Cluster::find_node(std::string_view name) const {
  const auto name_of = [this](NodeId id) -> std::string_view { return nodes_[id].name; };
  return node_ids_.find(name, NameTable::hash_of(name), name_of).value_or(kNoNode);
}

NodeId Cluster::new_node() {
  if (free_nodes_.empty()) {
    nodes_.emplace_back();
    return static_cast<NodeId>(nodes_.size() - 1);
  }
  const NodeId id = free_nodes_.back();
  free_nodes_.pop_back();
  return id;
}

void Cluster::add_room(const Node& node, int sign) {
  if (node.is_counted() && !node.is_upcoming) room_ += at_least_zero(node.free_for_pods()) * sign;
}

void Cluster::add_to_sums(const Node& node, int sign) {
  if (!node.is_counted()) return;
  capacity_ += at_least_zero(node.allocatable - node.daemons) * sign;
  counted_nodes_ += sign;
  add_room(node, sign);
}

void Cluster::touch(NodeId id) {
  ++version_;
  Node& node = nodes_[id];
  if (!node.is_touched) touched_.push_back(id);
  node.is_touched = true;
  mark_stale(id);
}

void Cluster::mark_stale(NodeId id) {
  if (!nodes_[id].is_stale) stale_.push_back(id);
  nodes_[id].is_stale = true;
}

void Cluster::reindex() {
  index_.update(
      stale_,
      [this](NodeId id) {
        Node& node = nodes_[id];
        node.is_stale = false;
        return FreeIndex::Place{node.is_open(), node.is_upcoming, node.free()};
      },
      [this](NodeId id) -> std::string_view { return nodes_[id].name; });
  stale_.clear();
}

const FreeList& Cluster::by_free(bool is_memory, bool is_upcoming) {
  if (!stale_.empty()) reindex();
  return index_.by(is_memory, is_upcoming);
}

void Cluster::set_node(NodeId id, const NodeSpec& spec) {
  ++nodes_of_type_[spec.type];
  update(id, [&](Node& node) {
    node.type = spec.type;
    node.labels = spec.labels;
    node.taints = spec.taints;
    node.allocatable = spec.allocatable;
    node.is_there = true;
    node.is_ready = spec.is_ready;
    node.is_schedulable = spec.is_schedulable;
    node.is_upcoming = false;
    node.can_remove = spec.can_remove;
    node.profile = intern_profile(node);
  });
}

Result<NodeId> Cluster::put_node(const NodeSpec& spec) {
  BELLOWS_CHECKED(check(spec));
  NodeId id = find_node(spec.name);
  if (id != kNoNode) {
    if (is_as(nodes_[id], spec)) return id;
    --nodes_of_type_[nodes_[id].type];
    const std::uint32_t before = nodes_[id].profile;
    set_node(id, spec);
    // Its pods may now be in other domains.
    if (nodes_[id].profile != before) reprofile();
    return id;
  }
  id = new_node();
  nodes_[id].name = spec.name;
  index_.names().change(id);
  node_ids_.add(NameTable::hash_of(spec.name), id);
  set_node(id, spec);
  return id;
}

void Cluster::erase_node(NodeId id) {
  for (const ShapeId shape : nodes_[id].held_shapes) {
    count_rivals(shape, id, Holder::kPlaceholder, -1);
  }
  --nodes_of_type_[nodes_[id].type];
  node_ids_.remove(NameTable::hash_of(nodes_[id].name), id);
  update(id, [](Node& node) { node.is_there = false; });
  nodes_[id] = Node{};
  nodes_[id].is_touched = true;
  nodes_[id].is_stale = true;
  index_.names().change(id);
  erased_nodes_.push_back(id);
}

Result<void> Cluster::remove_node(std::string_view name) {
  const NodeId id = find_node(name);
  if (id == kNoNode)
    return fail(ErrorKind::kNotFound, "node " + std::string(name), "there is no such node");
  while (!nodes_[id].pods.empty()) {
    const PodId pod = nodes_[id].pods.back();
    if (shapes_[pods_[pod].shape].is_daemon) {
      erase_pod(pod, NameTable::hash_of(pods_[pod].name.view()));
    } else {
      detach(pod);
      make_pending(pod);
    }
  }
  erase_node(id);
  return {};
}

NodeId Cluster::add_upcoming(const NodeType& type, std::string name) {
  const NodeId id = new_node();
  node_ids_.add(NameTable::hash_of(name), id);
  nodes_[id].name = std::move(name);
  index_.names().change(id);
  ++nodes_of_type_[type.name];
  update(id, [&](Node& node) {
    node.type = type.name;
    node.labels = type.labels;
    node.taints = type.taints;
    node.allocatable = type.allocatable;
    node.used = type.daemons;
    node.daemons = type.daemons;
    node.is_there = true;
    node.is_upcoming = true;
    node.is_schedulable = true;
    node.profile = intern_profile(node);
  });
  return id;
}

Result<void> Cluster::arrive(NodeId id, const NodeSpec& spec) {
  BELLOWS_CHECKED(check(spec));
  if (find_node(spec.name) != kNoNode)
    return fail(ErrorKind::kConflict, "node " + spec.name, "there is a node of that name already");
  --nodes_of_type_[nodes_[id].type];
  node_ids_.remove(NameTable::hash_of(nodes_[id].name), id);
  update(id, [&](Node& node) {
    // The node's real daemon pods are added as pods of their own.
    node.used -= node.daemons;
    node.daemons = {};
    node.name = spec.name;
  });
  index_.names().change(id);
  node_ids_.add(NameTable::hash_of(spec.name), id);
  set_node(id, spec);
  reprofile();
  return {};
}

void Cluster::drop_upcoming(NodeId id) {
  while (!nodes_[id].pods.empty()) forget_assumption(nodes_[id].pods.back());
  erase_node(id);
}

std::int64_t Cluster::nodes_of(std::string_view type) const {
  const auto at = nodes_of_type_.find(std::string(type));
  return at == nodes_of_type_.end() ? 0 : at->second;
}

std::vector<std::string> Cluster::types() const {
  std::vector<std::string> names;
  for (const auto& [name, count] : nodes_of_type_) {
    if (count > 0) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void Cluster::close(NodeId id) {
  // The sums stay: a closed node is only removed from the indexes.
  nodes_[id].is_closed = true;
  mark_stale(id);
}

void Cluster::reopen(NodeId id) {
  nodes_[id].is_closed = false;
  mark_stale(id);
}

std::vector<NodeId> Cluster::take_touched() {
  if (!index_.names().is_settled()) reindex();
  for (const NodeId id : touched_) nodes_[id].is_touched = false;
  free_nodes_.insert(free_nodes_.end(), erased_nodes_.begin(), erased_nodes_.end());
  erased_nodes_.clear();
  std::vector<NodeId> touched = std::move(touched_);
  touched_.clear();
  std::sort(touched.begin(), touched.end(),
            [this](NodeId a, NodeId b) { return index_.names().is_before(a, b); });
  return touched;
}

}  // namespace bellows::slack
