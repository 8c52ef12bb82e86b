// Panic mode: the short window decides when the load grows faster than the replicas.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The ratio that is compared with the threshold: load of the panic window per replica, in targets.
/// Replicas that stopped reporting count, because their last seconds are still in the load;
/// starting ones do not: they serve nothing, and requests wait for them. Rounded up to whole
/// replicas only with panic-ratio rounded: with one replica that is panic from 1.0 on (knative.md
/// 1.4, step 7).
double panic_ratio(const ScalingSpec& spec, const Observation& seen);

/// How long panic mode lasts after the load was last over the threshold: a stable window, or six
/// tenths of it where scale-down is smoothed, because the smoothing goes on from there.
Duration panic_hold(const ScalingSpec& spec);

/// Enters or leaves panic mode in `memory`:
///   stable, ratio below the threshold       -> stable
///   stable, ratio at the threshold or over  -> panic
///   panic, still over                       -> panic; its end moves (panic-extends)
///   panic, not over, and more than panic_hold() since its end moved -> stable
/// Where scale-down is smoothed, panic starts at no less than the last decision and the requested
/// number.
void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, const Observation& seen,
                          TimePoint now);

/// In panic mode nothing scales down: raises the number to the greatest so far, and stores it in
/// `memory`.
void hold_in_panic(DesiredReplicas& desired, Memory& memory, const ScalingSpec& spec,
                   TimePoint now);

}  // namespace bellows::autoscaler
