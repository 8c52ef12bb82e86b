// Spare capacity for a burst: whether requests may bypass the activator.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// floor(ready * total - target-burst-capacity - panic load); 0 or -1 if target-burst-capacity is
/// that (knative.md 1.4, step 11). Negative: the activator stays in the path.
double burst_capacity(const ScalingSpec& spec, const Observation& seen);

/// The same before the first observation: with initial-scale replicas and no load, truncated
/// instead of rounded down (knative.md 1.5).
double planned_burst_capacity(const ScalingSpec& spec);

}  // namespace bellows::autoscaler
