// From load to replicas.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// `amount` rounded up to whole replicas, but without a replica for measurement error: each
/// source's load is counted in units of 1e-6 requests (metrics/pod_window.hpp), so with one replica
/// per request the sum is off by up to a millionth. 80 requests measured as 80.000002 with a target
/// of 10 are eight replicas at a tolerance of 1e-6. Never negative; clamped to the range of
/// PodCount.
inline PodCount whole_pods(double amount, double tolerance) {
  constexpr double kMax = std::numeric_limits<PodCount>::max();
  const double noise = tolerance * std::max(1.0, amount);
  return static_cast<PodCount>(std::clamp(std::ceil(amount - noise), 0.0, kMax));
}

/// Replicas for the window's load at the target per replica.
inline PodCount pods_for(const ScalingSpec& spec, const WindowLoad& load) {
  return whole_pods(load.total / spec.target, spec.rules.rounding_tolerance);
}

}  // namespace bellows::autoscaler
