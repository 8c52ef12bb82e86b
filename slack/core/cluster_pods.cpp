// Pods of a cluster, and their anti-affinity.
#include <algorithm>
#include <array>
#include <cstddef>

#include "base/check.hpp"
#include "slack/core/cluster.hpp"

namespace bellows::slack {

std::optional<NodeId> Cluster::node_of(std::string_view name) const {
  const auto id = find_pod(name, NameTable::hash_of(name));
  if (!id || pods_[*id].node == kNoNode) return std::nullopt;
  return pods_[*id].node;
}

void Cluster::fetch_ahead(std::span<const std::string_view> names) const {
  names = names.first(std::min(names.size(), kAhead));
  std::array<std::uint32_t, kAhead> hashes{};
  for (std::size_t i = 0; i < names.size(); ++i) {
    hashes[i] = NameTable::hash_of(names[i]);
    pod_ids_.fetch_ahead(hashes[i]);
  }
  // Each step reads what the previous one has loaded for all of them.
  std::array<PodId, kAhead> pods{};
  std::size_t found = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto pod = pod_ids_.find(hashes[i]);
    if (!pod) continue;
    __builtin_prefetch(&pods_[*pod]);
    pods[found++] = *pod;
  }
  for (std::size_t i = 0; i < found; ++i) {
    const NodeId node = pods_[pods[i]].node;
    if (node == kNoNode) continue;
    const auto* const begin = reinterpret_cast<const char*>(&nodes_[node]);
    constexpr std::size_t kLine = 64;
    for (std::size_t at = 0; at < offsetof(Node, type); at += kLine) __builtin_prefetch(begin + at);
  }
  for (std::size_t i = 0; i < found; ++i) {
    const NodeId node = pods_[pods[i]].node;
    if (node != kNoNode) __builtin_prefetch(nodes_[node].pods.data());
  }
}

PodId Cluster::new_pod(std::string_view name, std::uint32_t hash) {
  PodId id = static_cast<PodId>(pods_.size());
  if (free_pods_.empty()) {
    pods_.emplace_back();
  } else {
    id = free_pods_.back();
    free_pods_.pop_back();
  }
  pods_[id].name = name;
  pods_[id].is_there = true;
  pod_ids_.add(hash, id);
  return id;
}

void Cluster::attach(PodId id, NodeId to) {
  Pod& pod = pods_[id];
  const Shape& shape = shapes_[pod.shape];
  const auto add = [&](Node& node) {
    pod.node = to;
    node.pods.push_back(id);
    node.used += shape.requests;
    if (shape.is_daemon) node.daemons += shape.requests;
  };
  if (shape.is_daemon) {
    update(to, add);  // it changes the counted capacity
  } else {
    add_room(nodes_[to], -1);
    add(nodes_[to]);
    add_room(nodes_[to], 1);
    touch(to);
  }
  count_rivals(pod.shape, to, Holder::kPod, 1);
}

void Cluster::detach(PodId id) {
  Pod& pod = pods_[id];
  const NodeId from = pod.node;
  const Shape& shape = shapes_[pod.shape];
  count_rivals(pod.shape, from, Holder::kPod, -1);
  const auto take = [&](Node& node) {
    node.used -= shape.requests;
    if (shape.is_daemon) node.daemons -= shape.requests;
    // A search on one node is faster than an index in each pod, which is elsewhere in memory.
    *std::find(node.pods.begin(), node.pods.end(), id) = node.pods.back();
    node.pods.pop_back();
  };
  if (shape.is_daemon) {
    update(from, take);
  } else {
    add_room(nodes_[from], -1);
    take(nodes_[from]);
    add_room(nodes_[from], 1);
    touch(from);
  }
  set_assumed(id, false);
  pod.node = kNoNode;
}

/// Changes whether a pod that has a node is assumed.
void Cluster::set_assumed(PodId id, bool is_assumed) {
  Pod& pod = pods_[id];
  if (pod.is_assumed == is_assumed) return;
  pod.is_assumed = is_assumed;
  nodes_[pod.node].assumed += is_assumed ? 1U : -1U;
  if (is_assumed) {
    pod.place = static_cast<std::uint32_t>(assumed_.size());
    assumed_.push_back(id);
  } else {
    const PodId last = assumed_.back();
    assumed_[pod.place] = last;
    pods_[last].place = pod.place;
    assumed_.pop_back();
  }
}

void Cluster::make_pending(PodId id) {
  ++version_;
  if (shapes_[pods_[id].shape].is_daemon) return;
  auto& waiting = pending_[pods_[id].shape];
  pods_[id].place = static_cast<std::uint32_t>(waiting.size());
  waiting.push_back(id);
}

void Cluster::end_pending(PodId id) {
  ++version_;
  const Pod& pod = pods_[id];
  if (shapes_[pod.shape].is_daemon) return;
  const auto at = pending_.find(pod.shape);
  const PodId last = at->second.back();
  at->second[pod.place] = last;
  pods_[last].place = pod.place;
  at->second.pop_back();
  if (at->second.empty()) pending_.erase(at);
}

Result<void> Cluster::put_pod(const PodSpec& spec) {
  if (spec.name.empty()) return fail(ErrorKind::kMalformed, "pod: name", "\"\": want a name");
  NodeId node = kNoNode;
  if (!spec.node.empty()) {
    node = find_node(spec.node);
    if (node == kNoNode) {
      return fail(ErrorKind::kNotFound, "pod " + std::string(spec.name) + ": node",
                  "\"" + std::string(spec.node) + "\": there is no such node");
    }
  }
  const std::uint32_t hash = NameTable::hash_of(spec.name);
  if (const auto known = find_pod(spec.name, hash)) {
    const Pod& pod = pods_[*known];
    if (pod.shape == spec.shape && pod.node == node && !pod.is_assumed) return {};
    erase_pod(*known, hash);
  }
  const PodId id = new_pod(spec.name, hash);
  pods_[id].shape = spec.shape;
  ++pods_of_shape_[spec.shape];
  if (!shapes_[spec.shape].is_daemon) requested_ += shapes_[spec.shape].requests;
  if (node == kNoNode) {
    make_pending(id);
  } else {
    attach(id, node);
  }
  return {};
}

Result<void> Cluster::remove_pod(std::string_view name) {
  const std::uint32_t hash = NameTable::hash_of(name);
  const auto known = find_pod(name, hash);
  if (!known) return fail(ErrorKind::kNotFound, "pod " + std::string(name), "there is no such pod");
  erase_pod(*known, hash);
  return {};
}

void Cluster::erase_pod(PodId id, std::uint32_t hash) {
  Pod& pod = pods_[id];
  if (pod.node != kNoNode) {
    detach(id);
  } else {
    end_pending(id);
  }
  --pods_of_shape_[pod.shape];
  if (!shapes_[pod.shape].is_daemon) requested_ -= shapes_[pod.shape].requests;
  pod_ids_.remove(hash, id);
  pod = Pod{};
  free_pods_.push_back(id);
}

void Cluster::assume(PodId id, NodeId node) {
  end_pending(id);
  attach(id, node);
  set_assumed(id, true);
  ++work.placements;
}

void Cluster::forget_assumption(PodId id) {
  detach(id);
  make_pending(id);
}

void Cluster::move(PodId id, NodeId node) {
  const bool was_assumed = pods_[id].is_assumed;
  detach(id);
  attach(id, node);
  set_assumed(id, was_assumed);
  ++work.placements;
}

std::vector<PodId> Cluster::assumed() const {
  std::vector<PodId> all = assumed_;
  std::sort(all.begin(), all.end());
  return all;
}

void Cluster::hold(ShapeId shape, NodeId id) {
  nodes_[id].held += shapes_[shape].requests;
  nodes_[id].held_shapes.push_back(shape);
  touch(id);
  count_rivals(shape, id, Holder::kPlaceholder, 1);
  ++work.placements;
}

void Cluster::release(ShapeId shape, NodeId id) {
  Node& node = nodes_[id];
  if (!node.is_there) return;  // everything on it was removed with it
  count_rivals(shape, id, Holder::kPlaceholder, -1);
  node.held -= shapes_[shape].requests;
  const auto at = std::find(node.held_shapes.begin(), node.held_shapes.end(), shape);
  CHECK(at != node.held_shapes.end(), "a placeholder is released where it is not held");
  *at = node.held_shapes.back();
  node.held_shapes.pop_back();
  touch(id);
}

}  // namespace bellows::slack
