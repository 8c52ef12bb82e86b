// Which replicas rates and ratios count (setting pod-count).
#pragma once

#include <algorithm>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Never less than one.
inline PodCount counted_pods(const ScalingSpec& spec, const Observation& seen) {
  switch (spec.rules.pod_count) {
    case config::CountedPods::kReady:
      return std::max<PodCount>(1, seen.ready);
    case config::CountedPods::kObserved:
      return std::max<PodCount>(1, seen.observed);
    case config::CountedPods::kWindow:
      return std::max<PodCount>(1, seen.in_window);
  }
  return 1;
}

}  // namespace bellows::autoscaler
