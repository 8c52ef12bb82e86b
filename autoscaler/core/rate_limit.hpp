// How fast up and down.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// max-scale-up-rate times the counted replicas.
PodCount up_rate_limit(const ScalingSpec& spec, const Observation& seen);

/// The most replicas that may be wanted now: what the rate allows. Where those that report are
/// counted, never fewer than are requested already: a limit on growing takes nothing away when some
/// replicas fall silent.
PodCount up_limit(const ScalingSpec& spec, const Observation& seen);

/// The fewest: the counted ones divided by max-scale-down-rate; none once it is unreachable.
PodCount down_limit(const ScalingSpec& spec, const Observation& seen);

}  // namespace bellows::autoscaler
