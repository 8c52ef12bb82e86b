// How much more the number of requests in flight varies than independent arrivals make it.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// The index of dispersion of the requests in flight (their variance divided by that of independent
/// arrivals): 1 for independent callers, more for arrivals in bursts.
struct Burstiness {
  float index = 1;
  std::int32_t samples = 0;  ///< that it was learned from
  bool operator==(const Burstiness&) const = default;
};

/// The newest seconds' loads at the last evaluations; negative: none.
struct RecentLoads {
  float oldest = -1;  ///< three evaluations ago
  float middle = -1;
  float newest = -1;
  TimePoint last_at;
  bool operator==(const RecentLoads&) const = default;
};

/// Updates the index with one observation in O(1); before an evaluation period has passed nothing
/// changes. A sample is the squared difference between two seconds six seconds apart, divided by
/// its expectation for independent requests of `service_seconds` (M/G/inf), so a slow drift of the
/// load does not count. A pause, or unknown seconds, start a new series of loads.
void learn_burstiness(Burstiness& burstiness, RecentLoads& recent, const ScalingSpec& spec,
                      const Observation& seen, double service_seconds, TimePoint now);

/// The index as headroom uses it: 1 to 17. Not early scale-up: bursts must not make it slower to
/// follow the next one.
double spread_index(const Burstiness& burstiness);

/// The spread for replicas that take `start` from order to readiness: the load varies until then,
/// and what is ordered now cannot follow. A start that ends by the next evaluation adds nothing;
/// one of a stable window or more doubles the variance.
double spread_over_start(double spread, const ScalingSpec& spec,
                         const std::optional<Duration>& start);

}  // namespace bellows::autoscaler
