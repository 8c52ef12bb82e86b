// Whether an object already is what inject would make of it.
#pragma once

#include "injector/core/node.hpp"

namespace bellows::injector {

/// True if `present` has all that `wanted` has, in any format and order of keys: entries may have
/// been added to its maps (an API server fills in defaults), lists are equally long. Of two records
/// only what was added counts, not how the original was written.
bool is_up_to_date(const Node& present, const Node& wanted);

}  // namespace bellows::injector
