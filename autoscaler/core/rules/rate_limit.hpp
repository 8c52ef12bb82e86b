// How fast the number may change (settings max-scale-up-rate, max-scale-down-rate and
// scale-down-delay).
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Returns the replicas that rates and ratios count: the ready ones; for profile seed those that
/// reported within the stable window. Never less than one.
PodCount counted_pods(const ScalingSpec& spec, const Observation& seen);

/// Returns the upper limit: max-scale-up-rate times the counted replicas.
PodCount up_limit(const ScalingSpec& spec, const Observation& seen);

/// Returns the lower limit: the counted replicas divided by max-scale-down-rate; 0 for an
/// unreachable revision.
PodCount down_limit(const ScalingSpec& spec, const Observation& seen);

/// Raises the number to the greatest one within the delay. Not for an unreachable revision.
void apply_delay(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                 const DelayWindow& delay, TimePoint now);

/// Records the number of `decision` before the delay; without a delay nothing is kept.
void record_undelayed(DelayWindow& delay, const Decision& decision);

}  // namespace bellows::autoscaler
