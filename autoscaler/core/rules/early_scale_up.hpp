// The load that shorter windows show with statistical significance (setting early-scale-up).
#pragma once

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Returns the standard deviation of the mean of `load` over `window` for independent arrivals. The
/// mean over a window that is long compared with the service time varies less than the load of an
/// instant: its variance is load * service time / window. An unknown service time counts as long.
double deviation(double load, double service_seconds, Duration window);

/// Returns the service time after this observation: a mean over about 40 s of stable load / stable
/// rate (Little's law), without the requests that wait.
float next_service_seconds(float before, const Observation& seen);

/// Returns the certain part of the load of one window: early-scale-up-z-score standard deviations
/// of independent arrivals less.
double certain_load(const ScalingSpec& spec, double load, Duration window, double service_seconds);

/// A load, and what shows it; of the stable window: kNone.
struct CertainLoad {
  double load = 0;
  EarlyLoad shown_by = EarlyLoad::kNone;
};

/// Returns the load that is certain: that of the stable window, or that of the panic window or of
/// the newest second minus early-scale-up-z-score standard deviations, whichever is greatest. Noise
/// of six seconds sets no minimum, and a jump is followed at once.
CertainLoad significant_load(const ScalingSpec& spec, const Observation& seen,
                             double service_seconds);

/// Returns the requests that are still there when a replica ordered now is ready: those of the
/// stable window, and of the newest second those beyond it whose service outlasts a start and an
/// evaluation. They are there, so no doubt is subtracted, and they are all that there is, so they
/// need no headroom: 12 of a minute each at a start of 2 s are 12, 12 of 50 ms are what the stable
/// window has. That of the stable window while the service time or the start time is unknown.
double lasting_load(const ScalingSpec& spec, const Observation& seen, double service_seconds);

}  // namespace bellows::autoscaler
