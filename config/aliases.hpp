// Names of other programs for settings of the table: Knative's annotations, fields and variables,
// and the parameters of the spike rule's paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/setting.hpp"

namespace bellows::config {

/// The other names of a setting.
struct Aliases {
  std::vector<std::string> keys;  ///< keys and flags with the same meaning
  std::string_view variable;      ///< the variable that replaces its own; empty: none
};

/// Returns the names that one of `programs` accepts for the setting `name`.
Aliases aliases_of(std::string_view name, Programs programs);

/// Returns Knative's spellings of a per-revision annotation `name`: camelCase, and both with the
/// prefix "autoscaling.knative.dev/".
std::vector<std::string> annotation_aliases(std::string_view name);

}  // namespace bellows::config
