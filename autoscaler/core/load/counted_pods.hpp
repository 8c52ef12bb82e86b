// Which replicas rates and ratios count.
#pragma once

#include <algorithm>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// The ready ones; for profile seed those that reported within the stable window. Never less than
/// one.
inline PodCount counted_pods(const ScalingSpec& spec, const Observation& seen) {
  return std::max<PodCount>(1, spec.is_seed ? seen.in_window : seen.ready);
}

}  // namespace bellows::autoscaler
