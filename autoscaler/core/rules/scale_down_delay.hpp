// A lower number of replicas has to last before it applies (setting scale-down-delay).
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Raises the number to the greatest one within the delay. Not for an unreachable revision.
void apply_delay(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                 const DelayWindow& delay, TimePoint now);

/// Records the number of `decision` before the delay; without a delay nothing is kept.
void record_undelayed(DelayWindow& delay, const Decision& decision);

}  // namespace bellows::autoscaler
