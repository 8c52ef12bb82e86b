// Keep-alive as learned from the idle times between requests, for people.
#pragma once

#include <optional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/state/idle_times.hpp"

namespace bellows::autoscaler::explain {

/// "its last 12 idle times (4m50s to 5m10s, half of them at most 5m)"; nothing if no idle time is
/// known or keep-alive is not learned.
std::optional<std::string> idle_times_text(const Decision& decision, const IdleTimes& idle_times);

/// With keep-alive learned, until when the last replica stays without a request; nothing if it does
/// not stay, or longer than a day.
std::optional<TimePoint> end_of_keeping(const Decision& decision, const IdleTimes& idle_times);

/// With keep-alive learned, when a replica starts ahead of the next request if none comes before;
/// nothing if none does, or not within a day.
std::optional<TimePoint> next_start_ahead(const Decision& decision, const IdleTimes& idle_times);

}  // namespace bellows::autoscaler::explain
