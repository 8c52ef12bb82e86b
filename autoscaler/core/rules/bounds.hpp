// The bounds that the user sets.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Raises the number to initial-scale until that was reached, to min-scale, or to 1 where
/// scale-to-zero is off, then limits it to max-scale (knative.md 3.2). An initial-scale of 1 is not
/// applied here: as in Knative, a known load needs none, and scale_to_zero.hpp keeps the first
/// replica. An unreachable revision has no minimum but that 1.
void apply_bounds(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                  bool is_initialised);

/// Returns min-scale; 0 for an unreachable revision.
PodCount min_scale_of(const ScalingSpec& spec, const Observation& seen);

/// Returns true if the bounds keep a replica, whatever the load is.
bool keeps_a_replica(const ScalingSpec& spec, const Observation& seen);

/// Returns the number of replicas that have to be ready once for the revision to be initialised
/// (knative.md 3.4).
PodCount scale_to_reach_once(const ScalingSpec& spec, const Observation& seen);

}  // namespace bellows::autoscaler
