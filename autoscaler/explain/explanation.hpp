// The reason of the number of replicas, in two or three sentences.
#pragma once

#include <span>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/explain/catalogue.hpp"

namespace bellows::autoscaler::explain {

/// Explains the last of `decisions`: the replicas and since when; the observation, the rule that
/// set the number and the number without it; the next event. An empty `service` is one without a
/// known name. The earlier decisions, oldest first,
/// show since when the number is the same. `decisions` is not empty. `idle_times` are those known
/// at the last decision. The text has no line break.
///
///   "web should have 4 replicas, since 14:02:40; 3 are ready, 1 is starting. The reason is: 31.2
///   requests in flight over 6s: 31.2 / 7, rounded up: 5; limited to 4 by max-scale. More load
///   changes nothing until max-scale is raised."
std::string explanation(const std::string& service, std::span<const Decision> decisions,
                        const IdleTimes& idle_times, const ClockText& clock);

}  // namespace bellows::autoscaler::explain
