// The map `autoscaling` of a bellows.yaml as the JSON text that the setting holds, and back to
// lines.
#pragma once

#include <string>
#include <string_view>

#include "base/document.hpp"

namespace bellows::config {

/// Plain numbers and true and false keep their types; every other scalar is a text.
std::string json_text(const DocumentNode& node);

/// The line of the value at `path`, "up.metricsTrigger[1].usage"; of the last part that exists.
int line_of(const DocumentNode& node, std::string_view path);

}  // namespace bellows::config
