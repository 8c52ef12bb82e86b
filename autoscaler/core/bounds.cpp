#include "autoscaler/core/bounds.hpp"

#include <algorithm>

namespace bellows::autoscaler {

void apply_bounds(Answer& answer, const ScalingSpec& spec) {
  const PodCount least_alive = spec.enable_scale_to_zero ? 0 : 1;
  answer.at_least(std::max(spec.min_scale, least_alive), Rule::kMinScale);
  if (spec.max_scale > 0) answer.at_most(spec.max_scale, Rule::kMaxScale);
}

}  // namespace bellows::autoscaler
