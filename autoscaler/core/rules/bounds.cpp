#include "autoscaler/core/rules/bounds.hpp"

#include <algorithm>

namespace bellows::autoscaler {

PodCount min_scale_of(const ScalingSpec& spec, const Observation& seen) {
  return seen.is_reachable ? spec.min_scale : 0;
}

bool keeps_a_replica(const ScalingSpec& spec, const Observation& seen) {
  return !spec.enable_scale_to_zero || min_scale_of(spec, seen) > 0;
}

PodCount scale_to_reach_once(const ScalingSpec& spec, const Observation& seen) {
  return std::max(min_scale_of(spec, seen), spec.initial_scale);
}

void apply_bounds(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                  bool is_initialised) {
  if (!spec.enable_scale_to_zero) desired.raise_to(1, Rule::kMinScale);
  desired.raise_to(min_scale_of(spec, seen), Rule::kMinScale);
  if (seen.is_reachable) {
    const bool is_first = !is_initialised && spec.initial_scale > 1;
    if (is_first) desired.raise_to(spec.initial_scale, Rule::kInitialScale);
  }
  if (spec.max_scale > 0) desired.limit_to(spec.max_scale, Rule::kMaxScale);
}

}  // namespace bellows::autoscaler
