// How fast up.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// The most replicas that may be wanted now: max-scale-up-rate times the observed ones (at least
/// one), but never fewer than are requested already: a limit on growing takes nothing away when
/// some replicas fall silent.
PodCount up_limit(const ScalingSpec& spec, const Observation& seen);

}  // namespace bellows::autoscaler
