// A scheduler of Maestro as a service of a bellows.yaml.
#pragma once

#include <string>

#include "base/document.hpp"
#include "base/result.hpp"

namespace bellows::autoscaler::triggers {

/// Converts name, requests and autoscaling of a scheduler's YAML (v9), without the keys about game
/// servers. Older triggers become triggers of type room, as in Maestro. The error names file, line,
/// key, value and what is valid.
Result<std::string> converted_scheduler(const Document& document);

}  // namespace bellows::autoscaler::triggers
