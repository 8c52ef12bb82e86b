// The load that shorter windows show with statistical significance (setting early-scale-up).
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Standard deviation of the mean of `load` over `window` for arrivals with index of dispersion
/// `spread`. The mean over a window that is long compared with the service time varies less than
/// the load of an instant: its variance is spread * load * service time / window. An unknown
/// service time counts as long.
double deviation(double load, double service_seconds, Duration window, double spread);

/// The service time after this observation: a mean over about 40 s of stable load / stable rate
/// (Little's law), without the requests that wait.
float next_service_seconds(float before, const Observation& seen);

/// What is certain of the load of one window: early-scale-up-z-score standard deviations of
/// independent arrivals less.
double certain_load(const ScalingSpec& spec, double load, Duration window, double service_seconds);

/// What short windows ask for, if `replicas` were wanted last: `amount`, but no replica of which
/// less than half is used. Chance alone moves a load over the edge of a replica and back, and each
/// time one would be started for some seconds. Those that are there are kept.
double clearly_more_than(PodCount replicas, double amount);

/// The load that is certain: that of the stable window, or that of the panic window or of the
/// newest second minus early-scale-up-z-score standard deviations, whichever is greatest. Noise of
/// six seconds sets no minimum, and a jump is followed at once. The deviation is that of
/// independent arrivals: bursts that were learned do not make the next one less certain.
double significant_load(const ScalingSpec& spec, const Observation& seen, double service_seconds);

}  // namespace bellows::autoscaler
