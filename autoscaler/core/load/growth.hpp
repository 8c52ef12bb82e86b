// How much a load grows while a replica starts.
#pragma once

#include "autoscaler/core/load/trend.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// The fastest growth of the load of a revision.
struct Growth {
  float fastest = 0;        ///< share of the load a second; a day later, 37 % of it is left
  float known_seconds = 0;  ///< with load, that it was learned from; at most an hour
  TimePoint seen_at;        ///< of the last observation

  bool operator==(const Growth&) const = default;
};

/// Adds the growth of the stable load since the older mark of `trend`. Only what exceeds `noise`
/// (requests in flight) counts. Without look-ahead nothing is learned, since `trend` stands still.
Growth next_growth(const Growth& before, const Trend& trend, const ScalingSpec& spec,
                   const Observation& seen, double noise, TimePoint now);

/// By which share the load may grow until a replica ordered now is ready, an evaluation and a start
/// later. Before an hour of load is known, at least by 4 % a second (a load that doubles in 25
/// seconds). 0 while no start is known, without look-ahead, and where replicas are ready within the
/// panic window: early scale-up follows growth that fast.
double share_over_start(const Growth& growth, const ScalingSpec& spec, const Observation& seen);

}  // namespace bellows::autoscaler
