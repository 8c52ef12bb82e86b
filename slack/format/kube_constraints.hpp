// Selectors, affinity and tolerations of a pod's spec.
#pragma once

#include <string_view>

#include "slack/core/shape.hpp"

namespace bellows::kubernetes {
class Fields;
}

namespace bellows::slack::kube {

/// True for taints that say what conditions and the spec of a node say too: not ready, unreachable,
/// cordoned. They are left out of nodes and of tolerations.
bool is_taint_of_state(std::string_view key);

/// Adds what is checked to the shape and names the first constraint that is not in
/// `shape.unchecked`. `is_own` says which labels of pods the shape does not have.
void read_constraints(const kubernetes::Fields& spec, bool (*is_own)(std::string_view key),
                      Shape& shape);

}  // namespace bellows::slack::kube
