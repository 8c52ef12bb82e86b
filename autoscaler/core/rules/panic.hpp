// Panic mode: the short window decides when the load grows faster than the replicas.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The ratio that is compared with the threshold: load of the panic window per replica, in targets.
/// Replicas that stopped reporting count, because their last seconds are still in the load;
/// starting ones count if count-starting says so. Rounded up to whole replicas only with
/// panic-ratio rounded: with one replica that is panic from 1.0 on (knative.md 1.4, step 7).
double panic_ratio(const ScalingSpec& spec, const Observation& seen);

/// Enters or leaves panic mode in `memory`:
///   stable, ratio below the threshold       -> stable
///   stable, ratio at the threshold or over  -> panic
///   panic, still over                       -> panic; its end moves (panic-extends)
///   panic, not over, and more than a stable window since its end moved -> stable
/// With count-starting, panic starts at no less than the last decision and the requested number.
void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, const Observation& seen,
                          TimePoint now);

/// In panic mode nothing scales down: raises the number to the greatest so far, and stores it in
/// `memory`.
void hold_in_panic(DesiredReplicas& desired, Memory& memory, const ScalingSpec& spec,
                   TimePoint now);

}  // namespace bellows::autoscaler
