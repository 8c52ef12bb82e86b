// The script of the demonstration: phases of load.
#pragma once

#include <string_view>
#include <vector>

#include "base/time.hpp"

namespace bellows::cli {

/// One phase. The next one starts when its duration is over and its requests are complete.
struct Phase {
  std::string_view title;
  std::string_view description;  ///< what to watch for
  int clients = 0;               ///< that send one request after the other; 1: a single request
  Duration duration{};           ///< zero: until the service has no replicas
};

/// Returns the phases: no requests, one request, a burst, no requests.
const std::vector<Phase>& demo_script();

}  // namespace bellows::cli
