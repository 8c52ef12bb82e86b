// Extrapolates the load, for replicas that are ready only after their start.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// The stable load at two earlier times, half a window apart.
struct Trend {
  float older = -1;  ///< negative: none yet
  float newer = -1;
  TimePoint older_at;
  TimePoint newer_at;
  bool operator==(const Trend&) const = default;
};

/// Updates the marks every half stable window.
Trend next_trend(const Trend& before, const ScalingSpec& spec, const Observation& seen,
                 TimePoint now);

/// What to add to `load` for the time until a replica ordered now is ready: half of the
/// extrapolated growth since the older mark, counting only growth beyond `noise`, and at most a
/// tenth of the load, because a flash crowd taken for a trend would order far too much. Zero while
/// the start time is unknown, before half a window of load, and while the load does not grow.
double growth_ahead(const Trend& trend, const Observation& seen, double load, double noise,
                    TimePoint now);

}  // namespace bellows::autoscaler
