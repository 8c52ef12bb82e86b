// A decision with the data that its full reason needs.
#pragma once

#include <functional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/state/idle_times.hpp"

namespace bellows::autoscaler::explain {

/// Returns an instant of the decisions' time line as "14:03:12".
using ClockText = std::function<std::string(TimePoint)>;

/// A decision and its data, all of which outlive it.
struct Subject {
  const Decision& decision;
  const IdleTimes& idle_times;  ///< as they were known at the decision
  const ClockText& clock;
};

}  // namespace bellows::autoscaler::explain
