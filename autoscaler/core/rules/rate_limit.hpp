// How fast the number may change.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// max-scale-up-rate times the counted replicas.
PodCount up_rate_limit(const ScalingSpec& spec, const Observation& seen);

/// The upper limit: what the rate allows. Where reporting replicas are counted, never fewer than
/// are requested already: a limit on growth removes nothing when replicas stop reporting.
PodCount up_limit(const ScalingSpec& spec, const Observation& seen);

/// The lower limit: the counted replicas divided by max-scale-down-rate; 0 for an unreachable
/// revision.
PodCount down_limit(const ScalingSpec& spec, const Observation& seen);

}  // namespace bellows::autoscaler
