#include "autoscaler/core/rules/rate_limit.hpp"

#include <algorithm>
#include <cmath>

#include "autoscaler/core/load/counted_pods.hpp"
#include "autoscaler/core/load/pods_for.hpp"

namespace bellows::autoscaler {

PodCount up_rate_limit(const ScalingSpec& spec, const Observation& seen) {
  double counted = counted_pods(spec, seen);
  if (spec.rules.count_starting) counted += seen.starting;
  return whole_pods(spec.max_scale_up_rate * counted, spec.rules.rounding_tolerance);
}

PodCount up_limit(const ScalingSpec& spec, const Observation& seen) {
  const PodCount allowed = up_rate_limit(spec, seen);
  const bool counts_reports = spec.rules.pod_count == config::CountedPods::kObserved;
  return counts_reports ? std::max(allowed, seen.requested) : allowed;
}

PodCount down_limit(const ScalingSpec& spec, const Observation& seen) {
  if (!seen.is_reachable) return 0;
  return static_cast<PodCount>(std::floor(counted_pods(spec, seen) / spec.max_scale_down_rate));
}

}  // namespace bellows::autoscaler
