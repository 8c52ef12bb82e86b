// Converts the map `autoscaling` of a bellows.yaml to the JSON text of the setting, and finds the
// lines of its parts.
#pragma once

#include <string>
#include <string_view>

#include "base/document.hpp"

namespace bellows::config {

/// Returns JSON in which plain numbers and true and false keep their types; every other scalar is a
/// text.
std::string json_text(const DocumentNode& node);

/// Returns the line of the value at `path`, "up.metricsTrigger[1].usage"; of the last part that
/// exists.
int line_of(const DocumentNode& node, std::string_view path);

}  // namespace bellows::config
