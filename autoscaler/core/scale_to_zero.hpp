// The last replica: how long it stays when nobody calls.
#pragma once

#include <optional>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// When idleness began: set once the whole stable window is known and holds no load, nobody waits
/// and no replica is silent; kept while that stays so; else nothing. What a fresh decider took over
/// from its predecessor is kept until it knows better.
std::optional<TimePoint> next_idle_since(const std::optional<TimePoint>& before,
                                         const ScalingSpec& spec, const Observation& seen,
                                         bool is_fresh, TimePoint now);

/// An answer of no replicas, judged: none is requested, so none is kept; or idle for the grace
/// time, so the last one goes; or else the last one stays. Any other answer is left alone.
void keep_last_replica(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                       const std::optional<TimePoint>& idle_since, TimePoint now);

}  // namespace bellows::autoscaler
