#include "slack/format/kube_constraints.hpp"

#include <algorithm>

#include "kubernetes/core/fields.hpp"
#include "kubernetes/core/selector.hpp"
#include "slack/format/kube_pod.hpp"

namespace bellows::slack::kube {

namespace {

using kubernetes::Fields;

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";

void leave_unchecked(Shape& shape, std::string what) {
  if (shape.unchecked.empty()) shape.unchecked = std::move(what);
}

/// Reads matchExpressions of a node selector term, which have Gt and Lt besides the operators of
/// label selectors.
Selector read_node_expressions(const Fields& term) {
  Selector selector;
  term.each("matchExpressions", [&selector](const Fields& one) {
    const auto op = requirement_operator(one.view("operator"));
    if (!op) return one.invalid("operator", "In, NotIn, Exists, DoesNotExist, Gt or Lt");
    Requirement requirement{.key = one.text("key"), .op = *op};
    one.each_text("values",
                  [&](std::string_view value) { requirement.values.emplace_back(value); });
    selector.push_back(std::move(requirement));
  });
  return selector;
}

Requirement::Operator operator_of(kubernetes::Selector::Operator op) {
  switch (op) {
    case kubernetes::Selector::Operator::kIn:
      return Requirement::Operator::kIn;
    case kubernetes::Selector::Operator::kNotIn:
      return Requirement::Operator::kNotIn;
    case kubernetes::Selector::Operator::kExists:
      return Requirement::Operator::kExists;
    case kubernetes::Selector::Operator::kDoesNotExist:
      break;
  }
  return Requirement::Operator::kDoesNotExist;
}

Selector selector_of(const kubernetes::Selector& read) {
  Selector selector;
  for (const auto& one : read.requirements())
    selector.push_back({one.key, operator_of(one.op), one.values});
  return selector;
}

void read_node_affinity(const Fields& affinity, const Selector& base, Shape& shape) {
  const Fields required = affinity.object(kRequired);
  if (!required.has("nodeSelectorTerms")) return;
  shape.node_selectors.clear();
  required.each("nodeSelectorTerms", [&](const Fields& term) {
    Selector selector = read_node_expressions(term);
    if (term.has("matchFields")) leave_unchecked(shape, "node affinity by field");
    selector.insert(selector.begin(), base.begin(), base.end());
    shape.node_selectors.push_back(std::move(selector));
  });
}

void read_anti_affinity(const Fields& term, bool (*is_own)(std::string_view), Shape& shape) {
  AntiAffinity read;
  read.topology_key = term.text("topologyKey");
  if (read.topology_key.empty()) term.invalid("topologyKey", "a label of nodes");
  if (term.has("namespaceSelector") || term.has("matchLabelKeys") || term.has("mismatchLabelKeys"))
    leave_unchecked(shape, "pod anti-affinity with a namespace selector or label keys");
  if (!term.has("labelSelector")) return;  // it matches no pod
  read.selector = selector_of(kubernetes::Selector::read(term.object("labelSelector")));
  const bool selects_own = std::any_of(read.selector.begin(), read.selector.end(),
                                       [&](const Requirement& one) { return is_own(one.key); });
  if (selects_own) leave_unchecked(shape, "pod anti-affinity by a label of single pods");
  term.each_text("namespaces",
                 [&read](std::string_view name) { read.namespaces.emplace_back(name); });
  if (read.namespaces.empty()) read.namespaces.push_back(shape.space);
  std::sort(read.namespaces.begin(), read.namespaces.end());
  shape.anti_affinity.push_back(std::move(read));
}

void read_affinity(const Fields& affinity, bool (*is_own)(std::string_view), const Selector& base,
                   Shape& shape) {
  read_node_affinity(affinity.object("nodeAffinity"), base, shape);
  if (affinity.object("podAffinity").has(kRequired))
    leave_unchecked(shape, "required pod affinity");
  const Fields apart = affinity.object("podAntiAffinity");
  apart.each(kRequired, [&](const Fields& term) { read_anti_affinity(term, is_own, shape); });
}

/// Records volumes and ports, which tie a pod to nodes in ways that only the scheduler knows.
void read_ties(const Fields& spec, Shape& shape) {
  spec.each("topologySpreadConstraints", [&shape](const Fields& one) {
    if (one.view("whenUnsatisfiable") != "ScheduleAnyway")
      leave_unchecked(shape, "topology spread constraint");
  });
  spec.each("volumes", [&shape](const Fields& one) {
    if (one.has("persistentVolumeClaim")) leave_unchecked(shape, "persistent volume");
  });
  spec.each("containers", [&shape](const Fields& container) {
    container.each("ports", [&shape](const Fields& port) {
      if (port.has("hostPort")) leave_unchecked(shape, "host port");
    });
  });
}

}  // namespace

bool is_taint_of_state(std::string_view key) {
  return key == "node.kubernetes.io/not-ready" || key == "node.kubernetes.io/unreachable" ||
         key == "node.kubernetes.io/unschedulable";
}

void read_constraints(const Fields& spec, bool (*is_own)(std::string_view key), Shape& shape) {
  const Selector base = selector_of(kubernetes::Selector::of_map(spec.map("nodeSelector")));
  if (!base.empty()) shape.node_selectors = {base};
  read_affinity(spec.object("affinity"), is_own, base, shape);
  spec.each("tolerations", [&shape](const Fields& one) {
    // The API server adds two of these to each pod, and to no template.
    if (is_taint_of_state(one.view("key"))) return;
    shape.tolerations.push_back(
        {one.text("key"), one.text("value"), one.text("effect"), one.view("operator") == "Exists"});
  });
  std::sort(shape.tolerations.begin(), shape.tolerations.end());
  read_ties(spec, shape);
}

}  // namespace bellows::slack::kube
