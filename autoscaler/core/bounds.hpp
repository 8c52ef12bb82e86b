// What the user allows.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Raises the answer to initial-scale until that was reached, to min-scale, or to 1 where
/// scale-to-zero is off, then holds it to max-scale (knative.md 3.2). An initial-scale of 1 is not
/// its matter: as there, nothing is wanted for it once the load is known, and the way to zero
/// (scale_to_zero.hpp) keeps the first replica. Unreachable: no least number but that 1.
void apply_bounds(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                  bool is_initialised);

/// min-scale; unreachable there is none.
PodCount min_scale_of(const ScalingSpec& spec, const Observation& seen);

/// Replicas that have to be ready once for the revision to be initialised (knative.md 3.4).
PodCount scale_to_reach_once(const ScalingSpec& spec, const Observation& seen);

}  // namespace bellows::autoscaler
