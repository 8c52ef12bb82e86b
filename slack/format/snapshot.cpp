#include "slack/format/snapshot.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "base/quantity_text.hpp"
#include "base/read_number.hpp"

namespace bellows::slack {

namespace {

/// Keeps only the labels that all nodes of a type have, which the next one is certain to have.
void keep_common(Labels& labels, const Labels& others) {
  std::erase_if(labels, [&others](const auto& label) {
    return find_label(others, label.first) != std::string_view(label.second);
  });
}

Result<void> check_names(const Snapshot& snapshot) {
  std::unordered_set<std::string_view> names;
  for (const NodeSpec& node : snapshot.nodes) {
    if (!names.insert(node.name).second) {
      return fail(ErrorKind::kMalformed, "node " + node.name + ": name",
                  "\"" + node.name + "\" occurs twice: want each node once");
    }
  }
  names.clear();
  for (const PodEntry& pod : snapshot.pods) {
    if (!names.insert(pod.name).second) {
      return fail(ErrorKind::kMalformed, "pod " + pod.name + ": name",
                  "\"" + pod.name + "\" occurs twice: want each pod once");
    }
  }
  return {};
}

void note_empty_nodes(Snapshot& snapshot) {
  for (const NodeSpec& node : snapshot.nodes) {
    if (!node.is_ready || node.is_booting) continue;
    const auto note = [&](const char* field) {
      snapshot.problems.push_back(
          {"node " + node.name, field, "0", "a ready node offers some: want more than 0", 1, true});
    };
    if (node.allocatable.cpu_millicores == 0) note("cpu");
    if (node.allocatable.memory_bytes == 0) note("memory");
    if (node.allocatable.pods == 0) note("pods");
  }
}

bool has_capacity(const Resources& allocatable) {
  return allocatable.cpu_millicores > 0 && allocatable.memory_bytes > 0 && allocatable.pods > 0;
}

/// Returns true for a node that counts as an ordered one. A cordoned one takes no pod later either.
bool is_ordered(const NodeSpec& node) {
  return node.is_booting && node.is_schedulable;
}

using DaemonsOfNodes = std::unordered_map<std::string_view, Resources>;

/// Returns the requests of the daemon sets on each node. `snapshot` outlives them.
DaemonsOfNodes daemons_of(const Snapshot& snapshot) {
  DaemonsOfNodes daemons;
  for (const PodEntry& pod : snapshot.pods) {
    if (pod.shape.is_daemon && !pod.node.empty()) daemons[pod.node] += pod.shape.requests;
  }
  return daemons;
}

}  // namespace

std::optional<std::int64_t> mirror_count(std::string_view value) {
  if (value == "true") return 1;
  if (value == "false") return 0;
  constexpr std::size_t kMaxDigits = 5;
  const auto count = read_number<std::int64_t>(value);
  return count && *count >= 0 && value.size() <= kMaxDigits ? count : std::nullopt;
}

std::optional<bool> exempt_flag(std::string_view value) {
  if (value == "true" || value == "false") return value == "true";
  return std::nullopt;
}

double price_of(const Resources& allocatable) {
  return static_cast<double>(allocatable.cpu_millicores) / 1000 +
         static_cast<double>(allocatable.memory_bytes) /
             static_cast<double>(8 * kibibytes(1024 * 1024).value);
}

std::vector<NodeType> types_of(const Snapshot& snapshot) {
  DaemonsOfNodes daemons = daemons_of(snapshot);
  std::unordered_set<std::string_view> booted;
  for (const NodeSpec& node : snapshot.nodes) {
    if (!node.is_booting && has_capacity(node.allocatable)) booted.insert(node.type);
  }
  std::map<std::string, NodeType> types;
  for (const NodeSpec& node : snapshot.nodes) {
    // A node that boots may lack labels and daemon sets: it stands for its type if no other does.
    if (!has_capacity(node.allocatable) || (node.is_booting && booted.contains(node.type)))
      continue;
    const auto [at, is_new] = types.try_emplace(node.type);
    NodeType& type = at->second;
    if (is_new) {
      type.name = node.type;
      type.allocatable = node.allocatable;
      type.labels = node.labels;
      type.taints = node.taints;
    }
    type.allocatable = min_of(type.allocatable, node.allocatable);
    type.daemons = max_of(type.daemons, daemons[node.name]);
    keep_common(type.labels, node.labels);
    std::erase_if(type.taints, [&node](const Taint& taint) {
      return std::find(node.taints.begin(), node.taints.end(), taint) == node.taints.end();
    });
  }
  std::vector<NodeType> all;
  for (auto& [name, type] : types) {
    type.price = price_of(type.allocatable);
    all.push_back(std::move(type));
  }
  return all;
}

namespace {

/// Returns what a booting node will be: what it says of itself, and for the rest a node of its
/// type. `daemons` are those that are on it already.
NodeType booting_type(const NodeSpec& node, const Resources& daemons,
                      const std::vector<NodeType>& types) {
  const auto known = std::ranges::find(types, node.type, &NodeType::name);
  NodeType type = known == types.end() ? NodeType{.name = node.type} : *known;
  if (has_capacity(node.allocatable)) type.allocatable = node.allocatable;
  type.daemons = max_of(type.daemons, daemons);
  for (const auto& [key, value] : node.labels) {
    std::erase_if(type.labels, [&key = key](const auto& label) { return label.first == key; });
    type.labels.emplace_back(key, value);
  }
  type.labels = sorted_labels(std::move(type.labels));
  type.taints = node.taints;
  return type;
}

Result<void> put_nodes(const Snapshot& snapshot, Planner& planner) {
  DaemonsOfNodes daemons = daemons_of(snapshot);
  for (const NodeSpec& node : snapshot.nodes) {
    if (is_ordered(node)) {
      planner.node_boots(booting_type(node, daemons[node.name], planner.types()), node.name);
    } else {
      BELLOWS_CHECKED(planner.cluster().put_node(node));
    }
  }
  return {};
}

}  // namespace

Result<void> load(Snapshot& snapshot, std::vector<NodeType> types, Planner& planner) {
  BELLOWS_CHECKED(check_names(snapshot));
  note_empty_nodes(snapshot);
  if (types.empty()) types = types_of(snapshot);
  planner.set_types(std::move(types));
  Cluster& cluster = planner.cluster();
  // Shapes are first, so that the labels they use are known before the nodes are added.
  std::vector<ShapeId> shapes;
  shapes.reserve(snapshot.pods.size());
  for (const PodEntry& pod : snapshot.pods) shapes.push_back(cluster.intern(pod.shape));
  BELLOWS_CHECKED(put_nodes(snapshot, planner));
  std::unordered_set<std::string_view> ordered;
  for (const NodeSpec& node : snapshot.nodes) {
    if (is_ordered(node)) ordered.insert(node.name);
  }
  std::vector<std::string_view> names(snapshot.pods.size());
  std::ranges::transform(snapshot.pods, names.begin(), &PodEntry::name);
  for (std::size_t i = 0; i < snapshot.pods.size(); ++i) {
    if (i % Cluster::kAhead == 0) cluster.fetch_ahead(std::span(names).subspan(i));
    const PodEntry& pod = snapshot.pods[i];
    // An ordered node has its daemon sets from the start.
    if (pod.shape.is_daemon && ordered.contains(pod.node)) continue;
    const auto put = cluster.put_pod({pod.name, shapes[i], pod.node});
    if (put) continue;
    if (put.error().kind() != ErrorKind::kNotFound) return put;
    // Its node was removed; the garbage collector of pods will delete it.
    snapshot.problems.push_back(
        {"pod " + pod.name, "node", pod.node, "there is no such node: the pod is left out"});
  }
  std::vector<Want> wanted;
  for (const MirrorEntry& mirror : snapshot.mirrors) {
    wanted.push_back({mirror.shape.name, "mirror", cluster.intern(mirror.shape), mirror.count});
  }
  planner.set_wanted(std::move(wanted));
  return {};
}

}  // namespace bellows::slack
