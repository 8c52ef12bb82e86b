#include "slack/core/guarantee.hpp"

#include <algorithm>
#include <set>

#include "base/quantity_text.hpp"

namespace bellows::slack {

namespace {

/// Counts the first reason why `node` does not take the shape.
void note(const Cluster& cluster, ShapeId shape, NodeId id, Obstacles& obstacles) {
  const Node& node = cluster.node(id);
  const Shape& one = cluster.shapes()[shape];
  const Resources free = node.free_for_pods();
  if (!node.is_ready) {
    ++obstacles.unready;
  } else if (!node.is_schedulable) {
    ++obstacles.cordoned;
  } else if (!cluster.is_permitted(shape, id)) {
    ++(tolerates(one.tolerations, node.taints) ? obstacles.selector : obstacles.taint);
  } else if (free.pods < 1) {
    ++obstacles.slots;
  } else if (fits(one.requests, free)) {
    ++obstacles.rival;
  } else {
    const bool lacks_cpu = free.cpu_millicores < one.requests.cpu_millicores;
    ++(lacks_cpu ? obstacles.cpu : obstacles.memory);
    const auto amount = [lacks_cpu](const Resources& of) {
      return lacks_cpu ? of.cpu_millicores : of.memory_bytes;
    };
    const bool is_nearer =
        obstacles.nearest.empty() || amount(free) > amount(obstacles.nearest_free) ||
        (amount(free) == amount(obstacles.nearest_free) && node.name < obstacles.nearest);
    if (!is_nearer) return;
    obstacles.nearest = node.name;
    obstacles.nearest_free = free;
  }
}

std::string size_text(const Resources& amount) {
  return "cpu " + to_string(Millicores{amount.cpu_millicores}) + ", memory " +
         to_string(Bytes{amount.memory_bytes});
}

std::string nodes_text(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " node" : " nodes");
}

std::string words(const Shape& shape, const Obstacles& obstacles) {
  if (obstacles.nodes == 0) return "there are no nodes";
  std::string text;
  const auto add = [&text](std::int64_t count, const std::string& reason) {
    if (count == 0) return;
    if (!text.empty()) text += "; ";
    text += nodes_text(count) + " " + reason;
  };
  add(obstacles.cpu, "without enough free CPU");
  add(obstacles.memory, "without enough free memory");
  add(obstacles.slots, "without a free pod slot");
  add(obstacles.rival, "where anti-affinity keeps it away");
  add(obstacles.selector, "outside its node selector or affinity");
  add(obstacles.taint, "with a taint that it does not tolerate");
  add(obstacles.unready, "not ready");
  add(obstacles.cordoned, "cordoned");
  if (!obstacles.nearest.empty()) {
    text += "; it requests " + size_text(shape.requests) + ", and the most that is free is " +
            size_text(obstacles.nearest_free) + " on " + obstacles.nearest;
  }
  return text;
}

}  // namespace

Guarantee guarantee(const Cluster& cluster, ShapeId shape, std::int64_t most) {
  Guarantee result;
  const Shape& one = cluster.shapes()[shape];
  if (!one.unchecked.empty()) {
    result.in_the_way = "its " + one.unchecked + " is not checked, so nothing is promised";
    return result;
  }
  std::set<std::uint64_t> taken;
  for (NodeId id = 0; id < cluster.nodes(); ++id) {
    const Node& node = cluster.node(id);
    if (!node.is_there || node.is_upcoming) continue;
    ++result.obstacles.nodes;
    std::int64_t more = 0;
    if (node.is_ready) more = cluster.fitting(shape, id, Holder::kPod, most - result.fits_now);
    const std::vector<std::uint64_t> domains = cluster.exclusive_domains(shape, id);
    for (const std::uint64_t domain : domains) {
      if (more > 0 && !taken.insert(domain).second) more = 0;
    }
    result.fits_now += more;
    if (more == 0) note(cluster, shape, id, result.obstacles);
  }
  if (result.fits_now < most) result.in_the_way = words(one, result.obstacles);
  return result;
}

std::vector<Unmet> no_type_takes(const Cluster& cluster, ShapeId shape,
                                 std::span<const NodeType> types) {
  const Shape& one = cluster.shapes()[shape];
  if (types.empty())
    return {{"", "node types", "none", "no type of node is known that could be added"}};
  Resources largest;
  const NodeType* full = nullptr;
  bool is_permitted = false;
  for (const NodeType& type : types) {
    if (!may_run_on(one, type.labels, type.taints)) continue;
    is_permitted = true;
    largest = max_of(largest, type.room());
    if (!fits(one.requests, type.room())) continue;
    if (cluster.nodes_of(type.name) < type.max_nodes) return {};
    full = &type;
  }
  if (full != nullptr) {
    return {{"", "max nodes", std::to_string(full->max_nodes),
             "type " + full->name + " would take it and has all the nodes it may have"}};
  }
  if (!is_permitted)
    return {{"", "node selector", one.name,
             "each type of node lacks labels that it selects, or has taints that it does not "
             "tolerate"}};
  if (one.requests.cpu_millicores > largest.cpu_millicores) {
    return {{"", "cpu", to_string(Millicores{one.requests.cpu_millicores}),
             "no type of node is that large: want at most " +
                 to_string(Millicores{largest.cpu_millicores})}};
  }
  if (one.requests.memory_bytes > largest.memory_bytes) {
    return {
        {"", "memory", to_string(Bytes{one.requests.memory_bytes}),
         "no type of node is that large: want at most " + to_string(Bytes{largest.memory_bytes})}};
  }
  return {{"", "size", size_text(one.requests),
           "each amount fits some type of node, but no type takes both"}};
}

Shape probe_shape(const Resources& requests) {
  return {.name = "probe", .space = "default", .requests = requests};
}

}  // namespace bellows::slack
