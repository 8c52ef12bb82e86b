// Room for a burst: whether callers may reach the replicas without the activator.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// floor(ready * total - target-burst-capacity - panic load); 0 or -1 if that is what
/// target-burst-capacity is (knative.md 1.4, step 11). Negative: the activator stays in the path.
double burst_capacity(const ScalingSpec& spec, const Observation& seen);

/// The same before anything was seen: with initial-scale replicas and no load, not rounded down but
/// cut (knative.md 1.5).
double planned_burst_capacity(const ScalingSpec& spec);

}  // namespace bellows::autoscaler
