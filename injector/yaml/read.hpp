// Reads YAML, and so JSON, as a tree with positions.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "injector/core/node.hpp"

namespace bellows::injector {

/// Reads one document. kMalformed with "line N" as culprit: invalid YAML, a key twice in a map, a
/// key that is no scalar, a second document. An empty text is kNull. It blocks. Thread: any.
Result<Node> read_yaml(std::string_view text);

}  // namespace bellows::injector
