#include "slack/format/objects_yaml.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "json/writer.hpp"
#include "slack/format/snapshot.hpp"

namespace bellows::slack {

namespace {

/// Returns a JSON string, which is a valid YAML scalar whatever it contains.
std::string quoted(std::string_view text) {
  std::string out;
  json::append_string(text, out);
  return out;
}

/// Returns a valid object name: lower case, digits and dashes. It depends only on the shape's name,
/// so that a later list changes the objects of an earlier one instead of adding others.
std::string object_name(std::string_view shape) {
  constexpr std::size_t kMostCharacters = 50;
  std::string name = "slack-";
  for (const char one : shape) {
    const bool is_upper = one >= 'A' && one <= 'Z';
    const bool is_plain = (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9');
    const char lower = is_upper ? static_cast<char>(one - 'A' + 'a') : one;
    name += is_upper || is_plain ? lower : '-';
  }
  name.resize(std::min(name.size(), kMostCharacters));
  while (name.back() == '-') name.pop_back();
  return name;
}

std::string operator_text(Requirement::Operator op) {
  switch (op) {
    case Requirement::Operator::kIn:
      return "In";
    case Requirement::Operator::kNotIn:
      return "NotIn";
    case Requirement::Operator::kExists:
      return "Exists";
    case Requirement::Operator::kDoesNotExist:
      return "DoesNotExist";
    case Requirement::Operator::kGt:
      return "Gt";
    case Requirement::Operator::kLt:
      return "Lt";
  }
  return "In";
}

std::string expressions(const Selector& selector, const std::string& indent) {
  std::string out;
  for (const Requirement& one : selector) {
    out += indent + "- key: " + quoted(one.key) + "\n" + indent +
           "  operator: " + operator_text(one.op) + "\n";
    if (one.values.empty()) continue;
    out += indent + "  values: [";
    for (std::size_t i = 0; i < one.values.size(); ++i)
      out += (i > 0 ? ", " : "") + quoted(one.values[i]);
    out += "]\n";
  }
  return out;
}

std::string affinity(const Shape& shape, const std::string& in) {
  if (shape.node_selectors.empty() && shape.anti_affinity.empty()) return "";
  std::string out = in + "affinity:\n";
  const std::string required = "requiredDuringSchedulingIgnoredDuringExecution:\n";
  if (!shape.node_selectors.empty()) {
    out += in + "  nodeAffinity:\n" + in + "    " + required + in + "      nodeSelectorTerms:\n";
    for (const Selector& selector : shape.node_selectors)
      out += in + "      - matchExpressions:\n" + expressions(selector, in + "        ");
  }
  if (shape.anti_affinity.empty()) return out;
  out += in + "  podAntiAffinity:\n" + in + "    " + required;
  for (const AntiAffinity& term : shape.anti_affinity) {
    out +=
        in + "    - topologyKey: " + quoted(term.topology_key) + "\n" + in + "      namespaces: [";
    for (std::size_t i = 0; i < term.namespaces.size(); ++i)
      out += (i > 0 ? ", " : "") + quoted(term.namespaces[i]);
    out += "]\n" + in + "      labelSelector:\n" + in + "        matchExpressions:\n" +
           expressions(term.selector, in + "        ");
  }
  return out;
}

std::string tolerations(const Shape& shape, const std::string& in) {
  if (shape.tolerations.empty()) return "";
  std::string out = in + "tolerations:\n";
  for (const Toleration& one : shape.tolerations) {
    out += in + "- operator: " + (one.is_exists ? "Exists" : "Equal") + "\n";
    if (!one.key.empty()) out += in + "  key: " + quoted(one.key) + "\n";
    if (!one.is_exists) out += in + "  value: " + quoted(one.value) + "\n";
    if (!one.effect.empty()) out += in + "  effect: " + quoted(one.effect) + "\n";
  }
  return out;
}

/// Returns the labels that anti-affinity of the shape uses, so that the objects are separated as
/// its pods are; other labels would make Services send requests to a pause pod.
Labels needed_labels(const Shape& shape) {
  Labels labels;
  for (const AntiAffinity& term : shape.anti_affinity) {
    for (const Requirement& one : term.selector) {
      if (const auto value = find_label(shape.labels, one.key))
        labels.emplace_back(one.key, *value);
    }
  }
  return sorted_labels(std::move(labels));
}

/// Formats as the API server does, so that applying an object again changes nothing.
std::string cpu_text(std::int64_t millicores) {
  return quoted(millicores % 1000 == 0 ? std::to_string(millicores / 1000)
                                       : std::to_string(millicores) + "m");
}

std::string pod_spec(const Shape& shape, const ObjectOptions& options, const std::string& in,
                     bool is_deployment) {
  std::string out;
  if (is_deployment) {
    out += in + "priorityClassName: bellows-slack\n" + in + "terminationGracePeriodSeconds: 0\n" +
           in + "automountServiceAccountToken: false\n";
  }
  out += affinity(shape, in) + tolerations(shape, in);
  out +=
      in + "containers:\n" + in + "- name: pause\n" + in + "  image: " + options.pause_image + "\n";
  out += in + "  resources:\n" + in + "    requests:\n";
  out += in + "      cpu: " + cpu_text(shape.requests.cpu_millicores) + "\n";
  out += in + "      memory: \"" + std::to_string(shape.requests.memory_bytes) + "\"\n";
  return out;
}

std::string labels_yaml(const Labels& labels, const std::string& name, const std::string& in) {
  std::string out = in + std::string(kPlaceholderLabel) + ": " + name + "\n";
  for (const auto& [key, value] : labels) out += in + quoted(key) + ": " + quoted(value) + "\n";
  return out;
}

std::string metadata(const std::string& name, const ObjectOptions& options) {
  return "metadata:\n  name: " + name + "\n  namespace: " + quoted(options.space) + "\n";
}

struct Row {
  std::string name;
  const Shape* shape;
  std::int64_t count;
};

std::vector<Row> rows(const Planner& planner) {
  std::vector<Row> rows;
  for (const ShapeId id : planner.placeholders().shapes()) {
    const Shape& shape = planner.cluster().shapes()[id];
    if (!shape.unchecked.empty()) continue;
    rows.push_back({object_name(shape.name), &shape, planner.placeholders().count(id)});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.name, a.shape->requests.cpu_millicores, a.shape->requests.memory_bytes) <
           std::tie(b.name, b.shape->requests.cpu_millicores, b.shape->requests.memory_bytes);
  });
  std::map<std::string, int> times;
  for (Row& row : rows) {
    const int before = times[row.name]++;
    if (before > 0) row.name += "--" + std::to_string(before + 1);
  }
  return rows;
}

std::string warning(const Plan& plan) {
  std::string out;
  for (const Unmet& one : plan.unmet)
    out += "# " + one.object + ": " + one.field + ": " + one.value + ": " + one.reason + "\n";
  return out;
}

}  // namespace

std::string capacity_buffers_yaml(const Planner& planner, const Plan& plan,
                                  const ObjectOptions& options) {
  std::string out = warning(plan);
  for (const Row& row : rows(planner)) {
    out += "---\napiVersion: v1\nkind: PodTemplate\n" + metadata(row.name, options) +
           "template:\n  metadata:\n    labels:\n" +
           labels_yaml(needed_labels(*row.shape), row.name, "      ") + "  spec:\n" +
           pod_spec(*row.shape, options, "    ", false);
    out += "---\napiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\n" +
           metadata(row.name, options) + "spec:\n  podTemplateRef:\n    name: " + row.name +
           "\n  replicas: " + std::to_string(row.count) + "\n";
  }
  return out;
}

std::string deployments_yaml(const Planner& planner, const Plan& plan,
                             const ObjectOptions& options) {
  std::string out =
      warning(plan) +
      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: "
      "bellows-slack\nvalue: -10\nglobalDefault: false\npreemptionPolicy: Never\n"
      "description: Room for pods to come; every other pod preempts it.\n";
  for (const Row& row : rows(planner)) {
    out += "---\napiVersion: apps/v1\nkind: Deployment\n" + metadata(row.name, options) +
           "spec:\n  replicas: " + std::to_string(row.count) +
           "\n  selector:\n    matchLabels:\n      " + std::string(kPlaceholderLabel) + ": " +
           row.name + "\n  template:\n    metadata:\n      labels:\n" +
           labels_yaml(needed_labels(*row.shape), row.name, "        ") + "    spec:\n" +
           pod_spec(*row.shape, options, "      ", true);
  }
  return out;
}

std::string node_groups_yaml(const Planner& planner, const Plan& plan) {
  std::map<std::string, std::int64_t> groups;
  for (const std::string& type : planner.cluster().types())
    groups[type] = planner.cluster().nodes_of(type);
  std::map<std::string, std::int64_t> added;
  for (const ScaleUp& one : plan.scale_up) added[one.type] += one.nodes;
  std::map<std::string, std::vector<std::string>> removed;
  for (const std::string& name : plan.scale_down) {
    const NodeId id = planner.cluster().find_node(name);
    removed[planner.cluster().node(id).type].push_back(name);
  }
  std::string out = warning(plan) + "nodeGroups:\n";
  for (const auto& [type, nodes] : groups) {
    const std::int64_t now = nodes - added[type];
    const auto gone = static_cast<std::int64_t>(removed[type].size());
    out += "- name: " + quoted(type) + "\n  nodes: " + std::to_string(now) +
           "\n  size: " + std::to_string(nodes - gone) + "\n";
    if (gone == 0) continue;
    out += "  remove:\n";
    for (const std::string& name : removed[type]) out += "  - " + quoted(name) + "\n";
  }
  return out;
}

}  // namespace bellows::slack
