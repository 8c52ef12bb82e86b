// A lower number of replicas has to last before it is asked for (setting scale-down-delay).
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The answer raised to the greatest one within the delay. Not for an unreachable revision.
void apply_delay(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                 const DelayWindow& delay, TimePoint now);

/// Books what `decision` wanted before the delay; without a delay nothing is kept.
void record_undelayed(DelayWindow& delay, const Decision& decision);

}  // namespace bellows::autoscaler
