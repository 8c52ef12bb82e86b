// Checks whether an object already is the result of inject.
#pragma once

#include "injector/core/node.hpp"

namespace bellows::injector {

/// Returns true if `present` has all that `wanted` has, in any format and order of keys. Its maps
/// may have further entries (an API server adds defaults); lists must be equally long. Two records
/// are compared by what was added, and not by how the original was written.
bool is_up_to_date(const Node& present, const Node& wanted);

}  // namespace bellows::injector
