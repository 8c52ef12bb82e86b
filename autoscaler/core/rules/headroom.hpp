// From a load to the replicas that carry it with headroom.
#pragma once

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// What headroom is for.
struct Room {
  double spread = 1;  ///< index of dispersion of the requests in flight, as spread_index()
  double growth = 0;  ///< share of the load
};

/// Replicas for `load`, not rounded. Headroom utilization: load / target. Headroom square-root:
/// (load + room) / total with
///   room = min(max(headroom-factor * sqrt(spread * load), growth * load),
///              load * (total / target - 1)).
/// Independent requests in flight are Poisson distributed whatever their service times (M/G/inf),
/// so their standard deviation is the square root of their mean: a fixed fraction of the load is
/// too little headroom for a small load and too much for a large one (square-root staffing: Halfin
/// and Whitt, "Heavy-traffic limits for queues with many exponential servers", 1981). Growth
/// while a replica starts is not chance: as a share, it is no less for a large load.
double replicas_for(const ScalingSpec& spec, const Observation& seen, const WindowLoad& load,
                    const Room& room);

/// The same for a load of the whole revision.
double replicas_for(const ScalingSpec& spec, double load, const Room& room);

/// The room for a steady load: its spread, including that over the start time, and no growth.
Room steady_room(const Decision& decision);

/// The room that the demand of a decision was computed with: also for what the load grows within a
/// start, and for an unsettled load as much as the utilisation leaves.
Room planned_room(const Decision& decision);

}  // namespace bellows::autoscaler
