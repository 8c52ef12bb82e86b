// How fast the number may change.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// The upper limit: max-scale-up-rate times the counted replicas.
PodCount up_limit(const ScalingSpec& spec, const Observation& seen);

/// The lower limit: the counted replicas divided by max-scale-down-rate; 0 for an unreachable
/// revision.
PodCount down_limit(const ScalingSpec& spec, const Observation& seen);

}  // namespace bellows::autoscaler
