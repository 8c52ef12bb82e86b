#include "slack/core/placeholders.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace bellows::slack {

namespace {

void remove_sorted(std::vector<PlaceholderId>& ids, PlaceholderId id) {
  const auto at = std::lower_bound(ids.begin(), ids.end(), id);
  CHECK(at != ids.end() && *at == id, "an unknown placeholder is removed");
  ids.erase(at);
}

void add_sorted(std::vector<PlaceholderId>& ids, PlaceholderId id) {
  ids.insert(std::lower_bound(ids.begin(), ids.end(), id), id);
}

}  // namespace

PlaceholderId Placeholders::add(ShapeId shape) {
  const PlaceholderId id = next_++;
  all_.emplace(id, Placeholder{.shape = shape});
  Group& group = by_shape_[shape];
  group.ids.push_back(id);
  group.pending.push_back(id);
  return id;
}

void Placeholders::remove(PlaceholderId id) {
  leave_group(id);
  all_.erase(id);
}

/// Makes it pending before it leaves its group.
void Placeholders::leave_group(PlaceholderId id) {
  if (all_.at(id).node != kNoNode) evict(id);
  const auto group = by_shape_.find(all_.at(id).shape);
  remove_sorted(group->second.ids, id);
  remove_sorted(group->second.pending, id);
  if (group->second.ids.empty()) by_shape_.erase(group);
}

void Placeholders::place(PlaceholderId id, NodeId node) {
  Placeholder& one = all_.at(id);
  CHECK(one.node == kNoNode, "a placeholder that has a node is placed");
  if (one.last_node != kNoNode && one.last_node != node) ++moved_[one.shape];
  one.node = node;
  one.last_node = kNoNode;
  add_sorted(by_node_[node], id);
  remove_sorted(by_shape_.at(one.shape).pending, id);
  cluster_.hold(one.shape, node);
}

void Placeholders::evict(PlaceholderId id) {
  Placeholder& one = all_.at(id);
  CHECK(one.node != kNoNode, "a pending placeholder is evicted");
  remove_sorted(by_node_.at(one.node), id);
  add_sorted(by_shape_.at(one.shape).pending, id);
  cluster_.release(one.shape, one.node);
  one.last_node = one.node;
  one.node = kNoNode;
}

void Placeholders::move(PlaceholderId id, NodeId node) {
  evict(id);
  all_.at(id).last_node = kNoNode;  // a simulated move is taken back, and is none
  place(id, node);
}

void Placeholders::reshape(PlaceholderId id, ShapeId shape) {
  leave_group(id);
  all_.at(id).shape = shape;
  Group& group = by_shape_[shape];
  add_sorted(group.ids, id);
  add_sorted(group.pending, id);
}

std::vector<PlaceholderId> Placeholders::on(NodeId node) const {
  const auto at = by_node_.find(node);
  return at == by_node_.end() ? std::vector<PlaceholderId>{} : at->second;
}

std::vector<NodeId> Placeholders::nodes() const {
  std::vector<NodeId> nodes;
  nodes.reserve(by_node_.size());
  for (const auto& entry : by_node_) {
    if (!entry.second.empty()) nodes.push_back(entry.first);
  }
  return nodes;
}

std::vector<PlaceholderId> Placeholders::of(ShapeId shape) const {
  const auto at = by_shape_.find(shape);
  return at == by_shape_.end() ? std::vector<PlaceholderId>{} : at->second.ids;
}

std::vector<PlaceholderId> Placeholders::pending_of(ShapeId shape) const {
  const auto at = by_shape_.find(shape);
  return at == by_shape_.end() ? std::vector<PlaceholderId>{} : at->second.pending;
}

std::int64_t Placeholders::count(ShapeId shape) const {
  const auto at = by_shape_.find(shape);
  return at == by_shape_.end() ? 0 : static_cast<std::int64_t>(at->second.ids.size());
}

std::int64_t Placeholders::pending(ShapeId shape) const {
  const auto at = by_shape_.find(shape);
  return at == by_shape_.end() ? 0 : static_cast<std::int64_t>(at->second.pending.size());
}

std::vector<ShapeId> Placeholders::shapes() const {
  std::vector<ShapeId> shapes;
  for (const auto& entry : by_shape_) shapes.push_back(entry.first);
  return shapes;
}

std::int64_t Placeholders::take_moved(ShapeId shape) {
  const auto at = moved_.find(shape);
  if (at == moved_.end()) return 0;
  const std::int64_t moved = at->second;
  moved_.erase(at);
  return moved;
}

}  // namespace bellows::slack
