// Requests that wait: a load that goes away once it is served.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// How long a request is served, in seconds; infinite while none of those in the window is known to
/// have ended. Little's law over the stable window, without the requests that wait and without
/// those that are still served: long services are overestimated, never underestimated.
double longest_service_seconds(const Observation& seen);

/// The part of a slot that one waiting request takes, 0 to 1 (setting backlog). A slot serves
/// several waiting requests in the time in which they are to be drained, so each of them takes
/// service / drain time of it. A service longer than that takes a whole slot: such a queue outlives
/// a decision and a start, and is load like any other. `service_seconds` is what was learned
/// before; it counts while no replica serves.
double share_of_waiting(const ScalingSpec& spec, const Observation& seen, double service_seconds);

/// `seen` with the loads to plan for: in service, plus what the waiting requests take.
Observation planned_load(const ScalingSpec& spec, const Observation& seen, double service_seconds);

}  // namespace bellows::autoscaler
