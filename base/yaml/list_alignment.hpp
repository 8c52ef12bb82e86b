// Repairs one mistake that YAML rejects: an item of a list that is indented less than the items
// before it.
#pragma once

#include <string>
#include <string_view>

namespace bellows::yaml {

/// Returns `text` with such items moved to the indentation of their list; lines keep their numbers.
/// An item is moved only if it is indented deeper than the key of the list. Pure.
std::string aligned_lists(std::string_view text);

}  // namespace bellows::yaml
