// What shorter windows prove about the load.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Standard deviation of the mean of `load` over `window`, if arrivals spread by `spread`. A mean
/// over a window that is long against the service time is steadier than the load of an instant:
/// its variance is spread * load * service time / window. An unknown service time counts as long.
double deviation(double load, double service_seconds, Duration window, double spread);

/// The service time after this observation: a mean over some 40 s of stable load / stable rate
/// (Little's law), while nobody waits.
float next_service_seconds(float before, const Observation& seen);

/// The load that is sure: of the stable window, or of the panic window or newest second less
/// rise-evidence deviations of it, whichever is most. So six seconds of noise set no floor, and a
/// jump is followed at once.
double sure_load(const ScalingSpec& spec, const Observation& seen, double service_seconds,
                 double spread);

}  // namespace bellows::autoscaler
