// From a load to the replicas that carry it with headroom (setting headroom).
#pragma once

#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Returns the room that target-utilization-percentage leaves free beyond `load`: Knative's
/// headroom.
double most_room(const ScalingSpec& spec, double load);

/// Returns the replicas for `load` (not negative), not rounded. Headroom utilization: load /
/// target. Headroom square-root: (load + room) / total with
///   room = min(deviations * sqrt(load * dispersion), most_room).
/// where the deviations are those at which waiting-percentage of independent requests find every
/// slot taken, and the dispersion is that of the load (load/dispersion.hpp). Of requests in batches
/// more do: a batch comes at once, and the dispersion is that of means over a second. Independent
/// requests in flight are Poisson distributed whatever their service times (M/G/inf), so their
/// standard deviation is the square root of their mean: a fixed fraction of the load is too little
/// headroom for a small load and too much for a large one (square-root staffing: Halfin and Whitt,
/// "Heavy-traffic limits for queues with many exponential servers", 1981).
double replicas_for(const ScalingSpec& spec, double load, double dispersion);

}  // namespace bellows::autoscaler
