#include "slack/core/placement.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace bellows::slack {

namespace {

std::int64_t dominant(const Resources& amount, bool is_memory) {
  return is_memory ? amount.memory_bytes : amount.cpu_millicores;
}

}  // namespace

std::int64_t fill(Cluster& cluster, ShapeId shape, Holder holder, Where where, std::int64_t count,
                  const Put& put) {
  if (count <= 0) return count;
  ++cluster.work.groups;
  const bool is_memory = cluster.is_memory_bound(shape);
  const Resources requests = cluster.shapes()[shape].requests;
  // put() changes nodes; the index is updated on its next use.
  const FreeList& nodes = cluster.by_free(is_memory, where == Where::kUpcoming);
  nodes.each_from(dominant(requests, is_memory), [&](NodeId node) {
    std::int64_t more = cluster.fitting(shape, node, holder, count);
    more = std::min(more, how_many(requests, cluster.node(node).free()));
    if (more > 0) {
      put(node, more);
      count -= more;
    }
    return count > 0;
  });
  return count;
}

std::int64_t fill_over(Cluster& cluster, const Placeholders& placeholders, ShapeId shape,
                       Where where, std::int64_t count, const Put& put) {
  if (count <= 0 || placeholders.size() == 0) return count;
  ++cluster.work.groups;
  const bool is_memory = cluster.is_memory_bound(shape);
  std::vector<NodeId> nodes;
  for (const NodeId id : placeholders.nodes()) {
    const Node& node = cluster.node(id);
    if (node.is_upcoming != (where == Where::kUpcoming)) continue;
    if (cluster.fitting(shape, id, Holder::kPod, count) > 0) nodes.push_back(id);
  }
  std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    const Node& left = cluster.node(a);
    const Node& right = cluster.node(b);
    const auto free_left = dominant(left.free_for_pods(), is_memory);
    const auto free_right = dominant(right.free_for_pods(), is_memory);
    return std::tie(free_left, left.name) < std::tie(free_right, right.name);
  });
  for (const NodeId id : nodes) {
    if (count == 0) break;
    const std::int64_t more = cluster.fitting(shape, id, Holder::kPod, count);
    if (more <= 0) continue;
    put(id, more);
    count -= more;
  }
  return count;
}

double LargestFirst::part_of(const Resources& requests) const {
  const Resources whole = max_of(cluster_.capacity(), {1, 1, 1});
  return std::max(
      static_cast<double>(requests.cpu_millicores) / static_cast<double>(whole.cpu_millicores),
      static_cast<double>(requests.memory_bytes) / static_cast<double>(whole.memory_bytes));
}

bool LargestFirst::operator()(ShapeId a, ShapeId b) const {
  const Shape& left = cluster_.shapes()[a];
  const Shape& right = cluster_.shapes()[b];
  const double part_left = part_of(left.requests);
  const double part_right = part_of(right.requests);
  if (part_left != part_right) return part_left > part_right;
  return std::tie(left.name, left.requests.cpu_millicores, left.requests.memory_bytes, a) <
         std::tie(right.name, right.requests.cpu_millicores, right.requests.memory_bytes, b);
}

}  // namespace bellows::slack
