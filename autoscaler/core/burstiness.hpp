// How much more the requests in flight spread than chance alone makes them.
#pragma once

#include <cstdint>
#include <optional>

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// The index of dispersion of the requests in flight (their variance over that of callers who do
/// not know of each other): 1 for those, more for callers who come together.
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

/// Takes in one observation; costs O(1), and nothing changes before an evaluation period has
/// passed. A sample is the square of the difference between two seconds six seconds apart, over
/// what it would be if requests of `service_seconds` came independently (M/G/inf), so that a slow
/// drift of the load does not count. A pause, or unknown seconds, begin a new row of loads.
void learn_burstiness(Burstiness& burstiness, RecentLoads& recent, const ScalingSpec& spec,
                      const Observation& seen, double service_seconds, TimePoint now);

/// What headroom and rise reckon with: 1 to 6.
double spread_index(const Burstiness& burstiness);

/// The spread for replicas that need `start` from order to readiness: until then the load wanders,
/// and what is ordered now cannot follow it. A start that is over by the next evaluation costs
/// nothing; one of a stable window or more doubles the variance.
double spread_over_start(double spread, const ScalingSpec& spec,
                         const std::optional<Duration>& start);

}  // namespace bellows::autoscaler
