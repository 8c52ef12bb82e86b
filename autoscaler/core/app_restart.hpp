// A restart of the app of a replica, as the journal tells it. Pure.
#pragma once

#include <string>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

struct AppRestart {
  TimePoint at;  ///< when it was seen
  PodName replica;
  int restarts = 0;     ///< of that replica so far
  std::string because;  ///< "the app exited with code 3"; empty: not known

  bool operator==(const AppRestart&) const = default;
};

}  // namespace bellows::autoscaler
