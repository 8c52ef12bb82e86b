// Orders nodes for what has no room: the cheapest type for each shape.
#include <algorithm>
#include <cmath>

#include "slack/core/placement.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {

void Planner::order_nodes() {
  std::vector<ShapeId> waiting;
  for (const auto& entry : cluster_.pending()) waiting.push_back(entry.first);
  std::sort(waiting.begin(), waiting.end(), LargestFirst(cluster_));
  for (const ShapeId shape : waiting) order_for_pods(shape);
  std::vector<ShapeId> shapes = placeholders_.shapes();
  std::sort(shapes.begin(), shapes.end(), LargestFirst(cluster_));
  for (const ShapeId shape : shapes) order_for_placeholders(shape);
}

void Planner::order_for_pods(ShapeId shape) {
  if (!cluster_.shapes()[shape].unchecked.empty()) return;
  std::vector<PodId> pods = pending_of(shape);
  const Put put = assume_last_of(pods);
  auto left = static_cast<std::int64_t>(pods.size());
  // Nodes ordered for a larger shape in this loop may have room left.
  if (!ordered_now_.empty())
    left = fill(cluster_, shape, Holder::kPod, Where::kUpcoming, left, put);
  order_for(shape, Holder::kPod, left, put);
}

void Planner::order_for_placeholders(ShapeId shape) {
  if (!cluster_.shapes()[shape].unchecked.empty()) return;
  const std::vector<PlaceholderId> pending = placeholders_.pending_of(shape);
  std::size_t next = 0;
  const Put put = [&](NodeId node, std::int64_t count) {
    for (; count > 0; --count) placeholders_.place(pending[next++], node);
  };
  auto left = static_cast<std::int64_t>(pending.size());
  if (!ordered_now_.empty())
    left = fill(cluster_, shape, Holder::kPlaceholder, Where::kUpcoming, left, put);
  order_for(shape, Holder::kPlaceholder, left, put);
}

/// Adds nodes until all are placed or no type takes another one. Returns how many are left.
std::int64_t Planner::order_for(ShapeId shape, Holder holder, std::int64_t count, const Put& put) {
  while (count > 0) {
    const NodeType* type = cheapest_for(shape, count);
    if (type == nullptr) return count;
    const std::string name = "ordered/" + type->name + "/" + std::to_string(ordered_ + 1);
    const NodeId node = cluster_.add_upcoming(*type, name);
    const std::int64_t more = cluster_.fitting(shape, node, holder, count);
    if (more == 0) {
      cluster_.drop_upcoming(node);
      return count;
    }
    ++ordered_;
    ++ordered_now_[type->name];
    upcoming_.push_back(node);
    put(node, more);
    count -= more;
  }
  return 0;
}

/// Returns the type on which `count` pods cost least; of equal costs the cheaper node, so that no
/// node is larger than its pods need (R5).
const NodeType* Planner::cheapest_for(ShapeId shape, std::int64_t count) const {
  const Shape& one = cluster_.shapes()[shape];
  const auto& carried = cluster_.shapes().carried(shape);
  const auto& matched = cluster_.shapes().matched(shape);
  const bool is_one_a_node = std::any_of(carried.begin(), carried.end(), [&](TermId term) {
    return std::find(matched.begin(), matched.end(), term) != matched.end();
  });
  const NodeType* best = nullptr;
  double best_cost = 0;
  for (const NodeType& type : types_) {
    ++cluster_.work.nodes_visited;
    if (cluster_.nodes_of(type.name) >= type.max_nodes) continue;
    if (!fits(one.requests, type.room()) || !may_run_on(one, type.labels, type.taints)) continue;
    const std::int64_t on_one = is_one_a_node ? 1 : how_many(one.requests, type.room());
    const double nodes = std::ceil(static_cast<double>(count) / static_cast<double>(on_one));
    const double cost = nodes * type.price;
    const bool is_better =
        best == nullptr || cost < best_cost || (cost == best_cost && type.price < best->price);
    if (!is_better) continue;
    best = &type;
    best_cost = cost;
  }
  return best;
}

}  // namespace bellows::slack
