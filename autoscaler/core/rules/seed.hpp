// The autoscaler of June 2018 (profile seed): what it makes of the load. Rates, bounds, delay and
// idle-clock are those of every profile.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::seed {

/// The mean load of one replica over the panic window, in targets.
double panic_ratio(const ScalingSpec& spec, const Observation& seen);

/// Computes the demands of `decision`, and enters or leaves panic mode in its memory:
///   stable, ratio at the threshold or over  -> panic
///   panic, more than a stable window since it last scaled up -> stable
void evaluate(Decision& decision);

/// The mean load of one replica times the replicas that reported within the stable window: over
/// that window, or in panic mode over the panic window, even if that asks for less.
DesiredReplicas demand(const Outcome& weighed, const Memory& memory);

/// In panic mode nothing scales down, and each increase moves its end.
void hold_in_panic(DesiredReplicas& desired, Memory& memory, TimePoint now);

}  // namespace bellows::autoscaler::seed
