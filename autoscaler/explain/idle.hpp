// Texts about the keep-alive that is learned from the idle times between requests.
#pragma once

#include <optional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/state/idle_times.hpp"

namespace bellows::autoscaler::explain {

/// Returns "its last 12 idle times (4m50s to 5m10s, half of them at most 5m)"; nullopt if no idle
/// time is known or keep-alive is not learned.
std::optional<std::string> idle_times_text(const Decision& decision, const IdleTimes& idle_times);

/// Returns the end of the learned keep-alive of the last replica; nullopt if the replica does not
/// stay, or stays longer than a day.
std::optional<TimePoint> end_of_keeping(const Decision& decision, const IdleTimes& idle_times);

/// Returns the time at which learned keep-alive starts a replica ahead of the next request; nullopt
/// if it starts none within a day.
std::optional<TimePoint> next_start_ahead(const Decision& decision, const IdleTimes& idle_times);

}  // namespace bellows::autoscaler::explain
