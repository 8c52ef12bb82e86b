// From load to replicas.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.hpp"

namespace bellows::autoscaler {

/// `amount` rounded up to whole replicas. What a measured load is off by buys no replica: each
/// source's load is counted in units of 1e-6 requests (metrics/pod_window.hpp), so with a replica
/// per request the sum is off by up to a millionth of itself: 80 requests seen as 80.000002 with a
/// target of 10 are eight replicas. Never negative; held to what a PodCount can say.
inline PodCount whole_pods(double amount) {
  constexpr double kRoundingNoise = 1e-6;
  constexpr double kMost = std::numeric_limits<PodCount>::max();
  const double noise = kRoundingNoise * std::max(1.0, amount);
  return static_cast<PodCount>(std::clamp(std::ceil(amount - noise), 0.0, kMost));
}

/// Replicas that carry `load` when each carries `target` (> 0).
inline PodCount pods_for(Concurrency load, Concurrency target) {
  return whole_pods(load / target);
}

}  // namespace bellows::autoscaler
