// Panic mode: when the load outruns the replicas, the short window takes over.
#pragma once

#include <optional>

#include "autoscaler/core/decider_state.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// Load of the panic window per serving replica (at least one), in targets. Replicas that fell
/// silent serve too: their last seconds are still in the load. Not rounded up to whole replicas
/// first, as Knative does: with one replica that would be panic from 1.0 on (knative.md 1.4, step
/// 7).
double panic_ratio(const ScalingSpec& spec, const Observation& seen);

/// The panic after this evaluation:
///   stable, ratio below the threshold       -> stable
///   stable, ratio at the threshold or over  -> panic, at least at what is requested now
///   panic, ratio at the threshold or over   -> panic, its end put off
///   panic, more than a stable window since it was last over -> stable
std::optional<Panic> next_panic(const std::optional<Panic>& before, const ScalingSpec& spec,
                                const Observation& seen, TimePoint now);

}  // namespace bellows::autoscaler
