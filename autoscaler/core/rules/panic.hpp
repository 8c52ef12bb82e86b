// Panic mode: the short window decides when the load grows faster than the replicas.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The ratio that is compared with the threshold: load of the panic window in targets, rounded up,
/// per replica. With one replica that is panic from 1.0 on (knative.md 1.4, step 7). Starting
/// replicas do not count: they serve nothing, and requests wait for them.
double panic_ratio(const ScalingSpec& spec, const Observation& seen);

/// Enters or leaves panic mode in `memory`:
///   stable, ratio below the threshold       -> stable
///   stable, ratio at the threshold or over  -> panic
///   panic, still over                       -> panic; its end moves
///   panic, not over, and more than a stable window since its end moved -> stable
void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, const Observation& seen,
                          TimePoint now);

/// The same for an end that something else moves.
void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, bool is_over, TimePoint now);

/// In panic mode nothing scales down: raises the number to the greatest so far, and stores it in
/// `memory`.
void hold_in_panic(DesiredReplicas& desired, Memory& memory);

}  // namespace bellows::autoscaler
