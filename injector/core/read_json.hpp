// Reads JSON as a tree with positions, as injector/yaml/read.hpp does for YAML: a program that gets
// JSON alone needs no reader of YAML, which takes ten times as long.
#pragma once

#include <string_view>

#include "base/result.hpp"
#include "injector/core/node.hpp"

namespace bellows::injector {

/// Reads one JSON object, strictly: the tree is that of read_yaml(). kMalformed: no JSON, a key
/// twice in a map, more than 32 levels.
Result<Node> read_json(std::string_view text);

}  // namespace bellows::injector
