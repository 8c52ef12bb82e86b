// From a load to the replicas that carry it with headroom.
#pragma once

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Replicas for `load`, not rounded. Headroom utilization: load / target. Headroom square-root:
/// (load + room) / total with
///   room = min(headroom-factor * sqrt(spread * load), load * (total / target - 1)).
/// Independent requests in flight are Poisson distributed whatever their service times (M/G/inf),
/// so their standard deviation is the square root of their mean: a fixed fraction of the load is
/// too little headroom for a small load and too much for a large one (square-root staffing: Halfin
/// and Whitt, "Heavy-traffic limits for queues with many exponential servers", 1981). `spread` is
/// spread_index().
double replicas_for(const ScalingSpec& spec, const Observation& seen, const WindowLoad& load,
                    double spread);

/// The same for a load of the whole revision.
double replicas_for(const ScalingSpec& spec, double load, double spread);

/// The spread that the demand of a steady load is computed with, including that for the start time.
double steady_spread(const Decision& decision);

/// The spread that the demand of a decision was computed with: for an unsettled load so large that
/// the utilisation limits the headroom.
double planned_spread(const Decision& decision);

}  // namespace bellows::autoscaler
