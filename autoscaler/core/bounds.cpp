#include "autoscaler/core/bounds.hpp"

#include <algorithm>

namespace bellows::autoscaler {

PodCount scale_to_reach_once(const ScalingSpec& spec) {
  return std::max(spec.min_scale, spec.initial_scale);
}

void apply_bounds(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                  bool is_initialised) {
  if (!spec.enable_scale_to_zero) answer.at_least(1, Rule::kMinScale);
  if (seen.is_reachable) {
    answer.at_least(spec.min_scale, Rule::kMinScale);
    const bool is_first = !is_initialised && spec.initial_scale > 1;
    if (is_first) answer.at_least(spec.initial_scale, Rule::kInitialScale);
  }
  if (spec.max_scale > 0) answer.at_most(spec.max_scale, Rule::kMaxScale);
}

}  // namespace bellows::autoscaler
