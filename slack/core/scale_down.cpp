#include "slack/core/scale_down.hpp"

#include <algorithm>
#include <map>

#include "slack/core/placement.hpp"

namespace bellows::slack {

bool ScaleDown::may_go(const Node& node) const {
  if (!node.is_there || !node.is_ready || !node.is_schedulable || !node.can_remove) return false;
  return std::all_of(node.pods.begin(), node.pods.end(), [this](PodId pod) {
    const Shape& shape = cluster_.shapes()[cluster_.pod(pod).shape];
    return shape.is_daemon || (shape.can_move && shape.unchecked.empty());
  });
}

std::vector<NodeId> ScaleDown::candidates() const {
  struct Candidate {
    double utilisation;
    NodeId node;
  };
  std::vector<Candidate> found;
  for (NodeId id = 0; id < cluster_.nodes(); ++id) {
    const Node& node = cluster_.node(id);
    if (!node.is_there || !node.is_ready) continue;
    const double utilisation = node.utilisation();
    if (utilisation < planner_.settings_.scale_down_utilisation) found.push_back({utilisation, id});
  }
  const auto is_before = [this](const Candidate& a, const Candidate& b) {
    if (a.utilisation != b.utilisation) return a.utilisation < b.utilisation;
    return cluster_.node(a.node).name < cluster_.node(b.node).name;
  };
  std::sort(found.begin(), found.end(), is_before);
  const auto most = static_cast<std::size_t>(planner_.settings_.scale_down_candidates);
  std::vector<NodeId> nodes;
  for (const Candidate& one : found) {
    if (nodes.size() == most) break;
    if (may_go(cluster_.node(one.node))) nodes.push_back(one.node);
  }
  return nodes;
}

std::vector<std::string> ScaleDown::removable() {
  std::vector<NodeId> closed;
  std::map<std::string, std::int64_t> left;
  for (const NodeType& type : planner_.types_)
    left[type.name] = cluster_.nodes_of(type.name) - type.min_nodes;
  std::vector<std::string> names;
  for (const NodeId id : candidates()) {
    const auto type = left.find(cluster_.node(id).type);
    if (type != left.end() && type->second <= 0) continue;
    // The last node stays whatever it runs; otherwise there would be no room to start.
    if (cluster_.counted_nodes() - static_cast<std::int64_t>(names.size()) <= 1) break;
    ++cluster_.work.candidates;
    const std::size_t pods = pods_.size();
    const std::size_t moved = moved_.size();
    cluster_.close(id);
    if (empty_out(id)) {
      closed.push_back(id);
      names.push_back(cluster_.node(id).name);
      if (type != left.end()) --type->second;
    } else {
      take_back(pods, moved);
      cluster_.reopen(id);
    }
  }
  take_back(0, 0);
  for (const NodeId id : closed) cluster_.reopen(id);
  return names;
}

bool ScaleDown::empty_out(NodeId node) {
  return move_pods(node) && move_placeholders(node);
}

bool ScaleDown::move_pods(NodeId from) {
  std::map<ShapeId, std::vector<PodId>> groups;
  for (const PodId pod : cluster_.node(from).pods) {
    const ShapeId shape = cluster_.pod(pod).shape;
    if (!cluster_.shapes()[shape].is_daemon) groups[shape].push_back(pod);
  }
  std::vector<ShapeId> shapes;
  for (const auto& group : groups) shapes.push_back(group.first);
  std::sort(shapes.begin(), shapes.end(), LargestFirst(cluster_));
  for (const ShapeId shape : shapes) {
    std::vector<PodId>& pods = groups[shape];
    const auto count = static_cast<std::int64_t>(pods.size());
    const auto left = fill(cluster_, shape, Holder::kPod, Where::kReady, count,
                           [&](NodeId node, std::int64_t more) {
                             for (; more > 0; --more) {
                               cluster_.move(pods.back(), node);
                               pods_.push_back({pods.back(), from});
                               pods.pop_back();
                             }
                           });
    if (left > 0) return false;
  }
  return true;
}

bool ScaleDown::move_placeholders(NodeId from) {
  std::map<ShapeId, std::vector<PlaceholderId>> groups;
  for (const PlaceholderId id : placeholders_.on(from))
    groups[placeholders_[id].shape].push_back(id);
  std::vector<ShapeId> shapes;
  for (const auto& group : groups) shapes.push_back(group.first);
  std::sort(shapes.begin(), shapes.end(), LargestFirst(cluster_));
  for (const ShapeId shape : shapes) {
    std::vector<PlaceholderId>& ids = groups[shape];
    const auto count = static_cast<std::int64_t>(ids.size());
    const auto left = fill(cluster_, shape, Holder::kPlaceholder, Where::kReady, count,
                           [&](NodeId node, std::int64_t more) {
                             for (; more > 0; --more) {
                               placeholders_.move(ids.back(), node);
                               moved_.push_back({ids.back(), from});
                               ids.pop_back();
                             }
                           });
    if (left > 0) return false;
  }
  return true;
}

void ScaleDown::take_back(std::size_t pods, std::size_t placeholders) {
  while (moved_.size() > placeholders) {
    placeholders_.move(moved_.back().placeholder, moved_.back().from);
    moved_.pop_back();
  }
  while (pods_.size() > pods) {
    cluster_.move(pods_.back().pod, pods_.back().from);
    pods_.pop_back();
  }
}

}  // namespace bellows::slack
