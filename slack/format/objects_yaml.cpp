#include "slack/format/objects_yaml.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "json/yaml_lines.hpp"
#include "slack/format/snapshot.hpp"

namespace bellows::slack {

namespace {

using json::YamlLines;

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

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

void write_expressions(const Selector& selector, YamlLines& yaml) {
  for (const Requirement& one : selector) {
    yaml.item("key: " + json::quoted(one.key)).plain("operator", operator_text(one.op));
    if (!one.values.empty()) yaml.texts("values", one.values);
    yaml.close();
  }
}

struct Row {
  std::string name;
  const Shape* shape;
  std::int64_t count;
};

/// Writes a term twice: against the pods of the app, in their namespace and with their labels, and
/// against the placeholders for such pods, which have names of their own and are in one namespace.
void write_term(const AntiAffinity& term, const std::vector<Row>& rows,
                const ObjectOptions& options, YamlLines& yaml) {
  yaml.item("topologyKey: " + json::quoted(term.topology_key)).texts("namespaces", term.namespaces);
  yaml.open("labelSelector").line("matchExpressions:");
  write_expressions(term.selector, yaml);
  yaml.close().close();
  std::vector<std::string> apart;
  for (const Row& row : rows) {
    if (applies_to(term, *row.shape)) apart.push_back(row.name);
  }
  if (apart.empty()) return;
  yaml.item("topologyKey: " + json::quoted(term.topology_key)).texts("namespaces", {options.space});
  yaml.open("labelSelector").line("matchExpressions:");
  write_expressions(
      {{std::string(kPlaceholderLabel), Requirement::Operator::kIn, std::move(apart)}}, yaml);
  yaml.close().close();
}

void write_affinity(const Shape& shape, const std::vector<Row>& rows, const ObjectOptions& options,
                    YamlLines& yaml) {
  if (shape.node_selectors.empty() && shape.anti_affinity.empty()) return;
  yaml.open("affinity");
  if (!shape.node_selectors.empty()) {
    yaml.open("nodeAffinity").open(kRequired).line("nodeSelectorTerms:");
    for (const Selector& selector : shape.node_selectors) {
      yaml.item("matchExpressions:");
      write_expressions(selector, yaml);
      yaml.close();
    }
    yaml.close().close();
  }
  if (!shape.anti_affinity.empty()) {
    yaml.open("podAntiAffinity").line(std::string(kRequired) + ":");
    for (const AntiAffinity& term : shape.anti_affinity) write_term(term, rows, options, yaml);
    yaml.close();
  }
  yaml.close();
}

void write_tolerations(const Shape& shape, YamlLines& yaml) {
  if (!shape.tolerations.empty()) yaml.line("tolerations:");
  for (const Toleration& one : shape.tolerations) {
    yaml.item(one.is_exists ? "operator: Exists" : "operator: Equal");
    if (!one.key.empty()) yaml.text("key", one.key);
    if (!one.is_exists) yaml.text("value", one.value);
    if (!one.effect.empty()) yaml.text("effect", one.effect);
    yaml.close();
  }
}

/// Formats as the API server does, so that applying an object again changes nothing.
std::string cpu_text(std::int64_t millicores) {
  return json::quoted(millicores % 1000 == 0 ? std::to_string(millicores / 1000)
                                             : std::to_string(millicores) + "m");
}

void write_pod_spec(const Shape& shape, const std::vector<Row>& rows, const ObjectOptions& options,
                    bool is_deployment, YamlLines& yaml) {
  yaml.open("spec");
  if (is_deployment) {
    yaml.plain("priorityClassName", "bellows-slack").plain("terminationGracePeriodSeconds", "0");
    yaml.plain("automountServiceAccountToken", "false");
  }
  write_affinity(shape, rows, options, yaml);
  write_tolerations(shape, yaml);
  yaml.line("containers:").item("name: pause").plain("image", options.pause_image);
  yaml.open("resources").open("requests").plain("cpu", cpu_text(shape.requests.cpu_millicores));
  yaml.text("memory", std::to_string(shape.requests.memory_bytes));
  yaml.close().close().close().close();
}

/// Writes no label of the app: a Service would send requests to a pause pod.
void write_pod_labels(const std::string& name, YamlLines& yaml) {
  yaml.open("metadata").open("labels").plain(kPlaceholderLabel, name);
  yaml.close().close();
}

void open_object(std::string_view api_version, std::string_view kind, const std::string& name,
                 const ObjectOptions& options, YamlLines& yaml) {
  yaml.line("---").plain("apiVersion", api_version).plain("kind", kind);
  yaml.open("metadata").plain("name", name).text("namespace", options.space).close();
}

/// Counts the placeholders that have a place, on a ready node or an ordered one: more would stay
/// pending, and an autoscaler would add nodes for them again and again.
std::vector<Row> rows_of(const Planner& planner) {
  std::vector<Row> rows;
  for (const ShapeId id : planner.placeholders().shapes()) {
    const Shape& shape = planner.cluster().shapes()[id];
    if (!shape.unchecked.empty()) continue;
    const std::int64_t placed =
        planner.placeholders().count(id) - planner.placeholders().pending(id);
    rows.push_back({object_name(shape.name), &shape, placed});
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
  YamlLines yaml;
  const std::vector<Row> rows = rows_of(planner);
  for (const Row& row : rows) {
    open_object("v1", "PodTemplate", row.name, options, yaml);
    yaml.open("template");
    write_pod_labels(row.name, yaml);
    write_pod_spec(*row.shape, rows, options, false, yaml);
    yaml.close();
    open_object("autoscaling.x-k8s.io/v1beta1", "CapacityBuffer", row.name, options, yaml);
    yaml.open("spec").open("podTemplateRef").plain("name", row.name).close();
    yaml.plain("replicas", std::to_string(row.count)).close();
  }
  return warning(plan) + yaml.end();
}

std::string deployments_yaml(const Planner& planner, const Plan& plan,
                             const ObjectOptions& options) {
  YamlLines yaml;
  const std::vector<Row> rows = rows_of(planner);
  for (const Row& row : rows) {
    open_object("apps/v1", "Deployment", row.name, options, yaml);
    yaml.open("spec").plain("replicas", std::to_string(row.count));
    yaml.open("selector").open("matchLabels").plain(kPlaceholderLabel, row.name).close().close();
    yaml.open("template");
    write_pod_labels(row.name, yaml);
    write_pod_spec(*row.shape, rows, options, true, yaml);
    yaml.close().close();
  }
  return warning(plan) +
         "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata:\n  name: "
         "bellows-slack\nvalue: -10\nglobalDefault: false\npreemptionPolicy: Never\n"
         "description: Room for pods to come; every other pod preempts it.\n" +
         yaml.end();
}

std::string node_groups_yaml(const Planner& planner, const Plan& plan) {
  std::map<std::string, std::int64_t> groups;
  for (const std::string& type : planner.cluster().types())
    groups[type] = planner.cluster().nodes_of(type);
  std::map<std::string, std::int64_t> added;
  for (const ScaleUp& one : plan.ordered_now) added[one.type] += one.nodes;
  std::map<std::string, std::vector<std::string>> removed;
  for (const std::string& name : plan.scale_down) {
    const NodeId id = planner.cluster().find_node(name);
    removed[planner.cluster().node(id).type].push_back(name);
  }
  YamlLines yaml;
  yaml.line("nodeGroups:");
  for (const auto& [type, nodes] : groups) {
    const std::int64_t now = nodes - added[type];
    const auto gone = static_cast<std::int64_t>(removed[type].size());
    yaml.item("name: " + json::quoted(type)).plain("nodes", std::to_string(now));
    yaml.plain("size", std::to_string(nodes - gone));
    if (gone > 0) yaml.line("remove:");
    for (const std::string& name : removed[type]) yaml.line("- " + json::quoted(name));
    yaml.close();
  }
  return warning(plan) + yaml.end();
}

}  // namespace bellows::slack
