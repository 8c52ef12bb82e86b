#include "autoscaler/core/rules/burst_capacity.hpp"

#include <cmath>

namespace bellows::autoscaler {

double burst_capacity(const ScalingSpec& spec, const Observation& seen) {
  if (spec.target_burst_capacity <= 0) return spec.target_burst_capacity;
  return std::floor(seen.ready * spec.total - spec.target_burst_capacity - seen.panic.total);
}

double planned_burst_capacity(const ScalingSpec& spec) {
  if (spec.target_burst_capacity <= 0) return spec.target_burst_capacity;
  return std::trunc(spec.initial_scale * spec.total - spec.target_burst_capacity);
}

}  // namespace bellows::autoscaler
