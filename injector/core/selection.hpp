// Selects workloads of the input by name and label.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "injector/core/resource.hpp"

namespace bellows::injector {

/// One condition of a label selector: `key=value`, `key!=value`, `key` or `!key`.
struct LabelCondition {
  std::string key;
  std::string value = {};
  bool has_value = false;  ///< otherwise any value will do
  bool is_negated = false;

  bool operator==(const LabelCondition&) const = default;
};

/// The workloads to inject. Empty: all of them.
struct Selection {
  std::vector<std::string> names = {};  ///< "shop" or "deployment/shop"
  std::vector<LabelCondition> labels = {};

  bool is_empty() const { return names.empty() && labels.empty(); }
};

/// Reads "a=b,c!=d,e,!f", as kubectl -l does, without its sets in parentheses.
Result<std::vector<LabelCondition>> read_selector(std::string_view text);
/// Reads "shop,deployment/web".
std::vector<std::string> read_names(std::string_view text);

/// Returns true for a workload with one of the names whose own labels fulfil all conditions.
bool is_selected(const Resource& workload, const Selection& selection);

/// Checks that the selection means something. kNotFound: no workload has a name, or fulfils the
/// conditions.
Result<void> check_selection(const std::vector<Resource>& resources, const Selection& selection);

}  // namespace bellows::injector
