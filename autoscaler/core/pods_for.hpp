// From load to replicas.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.hpp"

namespace bellows::autoscaler {

/// `amount` rounded up to whole replicas. What a sum of doubles is off by (1e-9) buys no replica.
/// Never negative; held to what a PodCount can say.
inline PodCount whole_pods(double amount) {
  constexpr double kRoundingNoise = 1e-9;
  constexpr double kMost = std::numeric_limits<PodCount>::max();
  return static_cast<PodCount>(std::clamp(std::ceil(amount - kRoundingNoise), 0.0, kMost));
}

/// Replicas that carry `load` when each carries `target` (> 0).
inline PodCount pods_for(Concurrency load, Concurrency target) {
  return whole_pods(load / target);
}

}  // namespace bellows::autoscaler
