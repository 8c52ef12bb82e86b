// Panic mode: when the load outruns the replicas, the short window takes over.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// What is held against the threshold: load of the panic window per replica, in targets. Replicas
/// that fell silent serve too, their last seconds are still in the load; those that still start
/// count if count-starting says so. Rounded up to whole replicas first only where that is asked
/// for: with one replica that is panic from 1.0 on (knative.md 1.4, step 7).
double panic_ratio(const ScalingSpec& spec, const Observation& seen);

/// Moves `memory` to the panic after this evaluation:
///   stable, ratio below the threshold       -> stable
///   stable, ratio at the threshold or over  -> panic
///   panic, still over                       -> panic; its end is put off (panic-extends)
///   panic, not over, and more than a stable window since its end was put off -> stable
/// With count-starting, panic begins at no less than what is wanted and requested.
void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, const Observation& seen,
                          TimePoint now);

/// In panic nothing goes down: raises the answer to the greatest so far, and keeps it in `memory`.
void hold_in_panic(Answer& answer, Memory& memory, const ScalingSpec& spec, TimePoint now);

}  // namespace bellows::autoscaler
