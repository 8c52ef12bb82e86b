// Repairs one mistake that YAML rejects and people make: an item of a list that is indented less
// than the items before it.
#pragma once

#include <string>
#include <string_view>

namespace bellows::yaml {

/// `text` with such items moved to the indentation of their list; lines keep their numbers. An item
/// is moved only if it lies deeper than the key of the list. Pure.
std::string aligned_lists(std::string_view text);

}  // namespace bellows::yaml
