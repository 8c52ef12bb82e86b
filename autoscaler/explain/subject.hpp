// A decision with what its full reason needs.
#pragma once

#include <functional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/state/idle_times.hpp"

namespace bellows::autoscaler::explain {

/// An instant of the decisions' time line as people write it: "14:03:12".
using ClockText = std::function<std::string(TimePoint)>;

/// Everything outlives it.
struct Subject {
  const Decision& decision;
  const IdleTimes& idle_times;  ///< as they were known at the decision
  const ClockText& clock;
};

}  // namespace bellows::autoscaler::explain
