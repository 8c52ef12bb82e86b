// A scheduler of Maestro as a service of a bellows.yaml.
#pragma once

#include <string>

#include "base/document.hpp"
#include "base/result.hpp"

namespace bellows::autoscaler {

/// Converts a scheduler's YAML of Maestro v9 (triggers) or v10 (roomOccupancy, fixedBuffer, or a
/// fixed number of rooms): name, command, environment and requests of its first container, and its
/// autoscaling. Older triggers become triggers of type room, as in Maestro. Comments at the begin
/// of the result name every other key with its line. The error names file, line, key, value and
/// what is valid.
Result<std::string> converted_scheduler(const Document& document);

}  // namespace bellows::autoscaler
