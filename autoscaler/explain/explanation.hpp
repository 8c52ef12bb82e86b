// The reason of the number of replicas, in two or three sentences.
#pragma once

#include <span>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/state/idle_times.hpp"
#include "autoscaler/explain/subject.hpp"

namespace bellows::autoscaler::explain {

/// Explains the last of `decisions`: the replicas and since when; the observation, the rule that
/// set the number and the number without it; the next event. The earlier decisions, oldest first,
/// show since when the number is the same. `decisions` is not empty. `idle_times` are those known
/// at the last decision. The text has no line break.
///
///   "web should have 4 replicas, since 14:02:40; 3 are ready, 1 is starting. Over the last 6s it
///   had 31.2 requests in flight on average, the target is 7 per replica, which would take 5
///   replicas, but max-scale is 4. More load changes nothing until max-scale is raised."
std::string explanation(const std::string& service, std::span<const Decision> decisions,
                        const IdleTimes& idle_times, const ClockText& clock);

}  // namespace bellows::autoscaler::explain
