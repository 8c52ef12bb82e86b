// Checks of activators by their metrics, for `bellows check`. Pure: text in, items out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/check/item.hpp"

namespace bellows::cli {

/// `metrics`: those of the activator `name`, as Prometheus text. Returns one item for each revision
/// whose ready replicas it cannot reach, or whose waiting-page it cannot read, and one if it cannot
/// open ports; else one that it is well.
std::vector<CheckItem> activator_items(const std::string& name, std::string_view metrics);

}  // namespace bellows::cli
