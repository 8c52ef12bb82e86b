// Reads YAML, and so JSON, as a tree with places.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "injector/core/node.hpp"

namespace bellows::injector {

/// Reads one document. kMalformed with "line N" as culprit: what YAML does not allow, a key twice
/// in a map, a key that is no scalar, a second document. An empty text is kNull. Blocks; thread:
/// any.
Result<Node> read_yaml(std::string_view text);

}  // namespace bellows::injector
