// Selectors, affinity and tolerations of a pod's spec.
#pragma once

#include <string_view>

#include "slack/core/shape.hpp"

namespace bellows::kubernetes {
class Fields;
}

namespace bellows::slack::kube {

/// Returns true for taints that repeat conditions and the spec of a node: not ready, unreachable,
/// cordoned. They are omitted from nodes and from tolerations.
bool is_taint_of_state(std::string_view key);

/// Adds the checked constraints to the shape and names the first unchecked one in
/// `shape.unchecked`. `is_own` returns true for labels of pods that the shape does not have.
void read_constraints(const kubernetes::Fields& spec, bool (*is_own)(std::string_view key),
                      Shape& shape);

}  // namespace bellows::slack::kube
