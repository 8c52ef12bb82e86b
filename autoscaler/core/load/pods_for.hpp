// From load to replicas.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Replicas for the window's load at the target per replica.
inline PodCount pods_for(const ScalingSpec& spec, const WindowLoad& load) {
  return whole_pods(load.total / spec.target, spec.rules.rounding_tolerance);
}

}  // namespace bellows::autoscaler
