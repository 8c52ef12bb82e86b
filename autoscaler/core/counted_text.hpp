// Which replicas a rate counted, in words.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Those that the up-rate was multiplied with (settings pod-count, count-starting): "2 replicas
/// observed and 3 starting", "none ready, which counts as one", "5 replicas seen within 1m".
std::string counted_text(const Decision& decision);

}  // namespace bellows::autoscaler
