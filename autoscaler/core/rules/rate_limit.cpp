#include "autoscaler/core/rules/rate_limit.hpp"

#include <algorithm>
#include <cmath>

#include "autoscaler/core/load/counted_pods.hpp"
#include "autoscaler/core/load/pods_for.hpp"

namespace bellows::autoscaler {

PodCount up_limit(const ScalingSpec& spec, const Observation& seen) {
  return whole_pods(spec.max_scale_up_rate * counted_pods(spec, seen),
                    spec.rules.rounding_tolerance);
}

PodCount down_limit(const ScalingSpec& spec, const Observation& seen) {
  if (!seen.is_reachable) return 0;
  return static_cast<PodCount>(std::floor(counted_pods(spec, seen) / spec.max_scale_down_rate));
}

}  // namespace bellows::autoscaler
