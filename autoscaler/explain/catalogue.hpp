// The texts of every rule: one row per rule with the reason, its details and the next event.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::explain {

/// Returns an instant of the decisions' time line as "14:03:12".
using ClockText = std::function<std::string(TimePoint)>;

/// A decision and the data that its whole explanation needs, all of which outlive it.
struct Subject {
  const Decision& decision;
  const IdleTimes& idle_times;  ///< as they were known at the decision
  const ClockText& clock;
  std::string_view service = {};  ///< its name for commands; empty: not known
};

/// Returns "4 because 31.2 requests in flight over 6s: 31.2 / 7, rounded up: 5; limited to 4 by
/// max-scale", without a line break.
std::string reason_text(const Decision& decision);

/// Returns only the text after "because".
std::string brief(const Decision& decision);

/// Returns the same, and the command that undoes it if an order of the user decides.
std::string brief(const Decision& decision, std::string_view service);

/// Returns the text of brief() with the details that a status line has no room for: the other
/// window, the idle times, the other policies. It has no full stop.
std::string why(const Subject& subject);

/// Returns the next event, without a full stop; empty: none is known.
std::string next(const Subject& subject);

}  // namespace bellows::autoscaler::explain
