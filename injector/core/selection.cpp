#include "injector/core/selection.hpp"

#include <algorithm>

#include "base/text_parts.hpp"

namespace bellows::injector {

namespace {

/// Returns the parts between commas that are not blank.
std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::string_view part = trimmed(next_part(text, ','));
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

LabelCondition read_condition(std::string_view part) {
  LabelCondition condition{.key = {}, .is_negated = part.starts_with('!')};
  if (condition.is_negated) part.remove_prefix(1);
  const std::size_t equals = part.find('=');
  condition.has_value = equals != std::string_view::npos;
  if (!condition.has_value) {
    condition.key = part;
    return condition;
  }
  std::string_view key = part.substr(0, equals);
  if (key.ends_with('!')) {
    condition.is_negated = true;
    key.remove_suffix(1);
  }
  condition.key = key;
  const bool is_doubled = part.substr(equals).starts_with("==");
  condition.value = part.substr(equals + (is_doubled ? 2 : 1));
  return condition;
}

bool fulfils(const Node* labels, const LabelCondition& condition) {
  const Node* const value = labels == nullptr ? nullptr : labels->find(condition.key);
  const bool is_so = value != nullptr && (!condition.has_value || value->is_text(condition.value));
  return is_so != condition.is_negated;
}

bool is_named(const Resource& workload, const std::string& name) {
  return workload.name == name || label_of(workload) == name;
}

}  // namespace

Result<std::vector<LabelCondition>> read_selector(std::string_view text) {
  std::vector<LabelCondition> conditions;
  for (const std::string_view part : parts_of(text)) {
    LabelCondition condition = read_condition(part);
    const bool is_odd = condition.key.find_first_of(" !=()") != std::string::npos ||
                        condition.value.find_first_of(" !=()") != std::string::npos;
    if (condition.key.empty() || is_odd) {
      return fail(ErrorKind::kInvalidSetting, std::string(part),
                  "want KEY=VALUE, KEY!=VALUE, KEY or !KEY");
    }
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

std::vector<std::string> read_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view part : parts_of(text)) {
    const std::size_t slash = part.find('/');  // Deployment/shop is deployment/shop, as for kubectl
    const std::size_t kind = slash == std::string_view::npos ? 0 : slash;
    names.push_back(lower_case(part.substr(0, kind)).append(part.substr(kind)));
  }
  return names;
}

bool is_selected(const Resource& workload, const Selection& selection) {
  const auto is_it = [&workload](const std::string& name) { return is_named(workload, name); };
  if (!selection.names.empty() && std::ranges::none_of(selection.names, is_it)) return false;
  const Node* const labels = workload.root->at("metadata/labels");
  return std::ranges::all_of(selection.labels, [labels](const LabelCondition& condition) {
    return fulfils(labels, condition);
  });
}

Result<void> check_selection(const std::vector<Resource>& resources, const Selection& selection) {
  for (const std::string& name : selection.names) {
    const auto is_it = [&name](const Resource& resource) {
      return pod_of(resource) != nullptr && is_named(resource, name);
    };
    if (std::ranges::any_of(resources, is_it)) continue;
    return fail(ErrorKind::kNotFound, "--only " + name, "no workload of the input has this name");
  }
  const auto is_meant = [&selection](const Resource& resource) {
    return pod_of(resource) != nullptr && is_selected(resource, selection);
  };
  if (selection.is_empty() || std::ranges::any_of(resources, is_meant)) return {};
  return fail(ErrorKind::kNotFound, "--selector", "no workload of the input has these labels");
}

}  // namespace bellows::injector
