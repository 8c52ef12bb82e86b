// The load that is still there when a replica that is ordered now is ready.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Requests that a start and an evaluation from now are in flight for certain: those of the stable
/// window, those beyond it whose service is not over by then, and those that wait and that the
/// serving slots do not get to before. They are there, so no doubt is subtracted, and they are all
/// that there is, so they need no headroom. 12 of a minute each at ten slots, with a start of 2 s,
/// are 12; 12 of 50 ms are what the stable window has, because the queue is gone before the replica
/// is there.
///
/// 0 with early-scale-up window, with metric rps, without a serving replica, and while the service
/// time or the start time is unknown. A greater load never gives less. `service_seconds` of one
/// request.
double lasting_load(const ScalingSpec& spec, const Observation& seen, double service_seconds);

}  // namespace bellows::autoscaler
