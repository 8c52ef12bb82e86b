#include "autoscaler/core/rate_limit.hpp"

#include <algorithm>

#include "autoscaler/core/pods_for.hpp"

namespace bellows::autoscaler {

PodCount up_limit(const ScalingSpec& spec, const Observation& seen) {
  const double observed = std::max<PodCount>(1, seen.observed);
  return std::max(whole_pods(spec.max_scale_up_rate * observed), seen.requested);
}

}  // namespace bellows::autoscaler
