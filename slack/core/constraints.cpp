#include "slack/core/constraints.hpp"

#include <algorithm>
#include <array>

#include "base/read_number.hpp"

namespace bellows::slack {

namespace {

using Operator = Requirement::Operator;

struct OperatorName {
  Operator op;
  std::string_view name;
};

constexpr std::array<OperatorName, 6> kOperators = {{{Operator::kIn, "In"},
                                                     {Operator::kNotIn, "NotIn"},
                                                     {Operator::kExists, "Exists"},
                                                     {Operator::kDoesNotExist, "DoesNotExist"},
                                                     {Operator::kGt, "Gt"},
                                                     {Operator::kLt, "Lt"}}};

/// Returns false if either side is no whole number, as in the scheduler.
bool is_ordered(Operator op, std::string_view label, const std::vector<std::string>& values) {
  if (values.size() != 1) return false;
  const auto have = read_number<std::int64_t>(label);
  const auto want = read_number<std::int64_t>(values.front());
  if (!have || !want) return false;
  return op == Operator::kGt ? *have > *want : *have < *want;
}

bool is_tolerated(const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(), [&taint](const Toleration& one) {
    if (!one.effect.empty() && one.effect != taint.effect) return false;
    if (one.key.empty()) return one.is_exists;
    if (one.key != taint.key) return false;
    return one.is_exists || one.value == taint.value;
  });
}

void append_quoted(std::string_view text, std::string& out) {
  // Lengths make the text unambiguous whatever a value contains.
  out += std::to_string(text.size());
  out += ':';
  out += text;
}

}  // namespace

std::optional<std::string_view> find_label(const Labels& labels, std::string_view key) {
  const auto at =
      std::lower_bound(labels.begin(), labels.end(), key,
                       [](const auto& label, std::string_view k) { return label.first < k; });
  if (at == labels.end() || at->first != key) return std::nullopt;
  return at->second;
}

Labels sorted_labels(Labels labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  Labels unique;
  for (auto& label : labels) {
    if (!unique.empty() && unique.back().first == label.first) {
      unique.back() = std::move(label);
    } else {
      unique.push_back(std::move(label));
    }
  }
  return unique;
}

std::optional<Operator> requirement_operator(std::string_view name) {
  for (const OperatorName& known : kOperators) {
    if (known.name == name) return known.op;
  }
  return std::nullopt;
}

bool matches(const Requirement& requirement, const Labels& labels) {
  const auto label = find_label(labels, requirement.key);
  const auto is_listed = [&] {
    return std::find(requirement.values.begin(), requirement.values.end(), *label) !=
           requirement.values.end();
  };
  switch (requirement.op) {
    case Operator::kIn:
      return label && is_listed();
    case Operator::kNotIn:
      return !label || !is_listed();
    case Operator::kExists:
      return label.has_value();
    case Operator::kDoesNotExist:
      return !label;
    case Operator::kGt:
    case Operator::kLt:
      return label && is_ordered(requirement.op, *label, requirement.values);
  }
  return false;
}

bool matches(const Selector& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(),
                     [&labels](const Requirement& one) { return matches(one, labels); });
}

bool tolerates(const std::vector<Toleration>& tolerations, const std::vector<Taint>& taints) {
  return std::all_of(taints.begin(), taints.end(), [&tolerations](const Taint& taint) {
    return taint.effect == "PreferNoSchedule" || is_tolerated(tolerations, taint);
  });
}

std::string text_of(const Labels& labels) {
  std::string out;
  for (const auto& [key, value] : labels) {
    append_quoted(key, out);
    out += '=';
    append_quoted(value, out);
    out += ' ';
  }
  return out;
}

std::string text_of(const Selector& selector) {
  std::string out;
  for (const Requirement& one : selector) {
    append_quoted(one.key, out);
    for (const OperatorName& known : kOperators) {
      if (known.op == one.op) out += known.name;
    }
    for (const std::string& value : one.values) append_quoted(value, out);
    out += ' ';
  }
  return out;
}

std::string text_of(const std::vector<Taint>& taints) {
  std::string out;
  for (const Taint& taint : taints) {
    append_quoted(taint.key, out);
    append_quoted(taint.value, out);
    append_quoted(taint.effect, out);
    out += ' ';
  }
  return out;
}

std::string text_of(const std::vector<Toleration>& tolerations) {
  std::string out;
  for (const Toleration& one : tolerations) {
    append_quoted(one.key, out);
    append_quoted(one.value, out);
    append_quoted(one.effect, out);
    out += one.is_exists ? "! " : " ";
  }
  return out;
}

std::string text_of(const AntiAffinity& term) {
  std::string out = text_of(term.selector) + "@";
  for (const std::string& one : term.namespaces) append_quoted(one, out);
  out += "@";
  append_quoted(term.topology_key, out);
  return out;
}

}  // namespace bellows::slack
