// A decider that begins beside running replicas knows less than the one before it (setting
// after-restart).
#pragma once

#include "autoscaler/core/decider_state.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"

namespace bellows::autoscaler {

/// State of a decider that has no predecessor's state. With more than one replica ready it begins
/// in panic at that many, so that nothing goes down for a stable window (knative.md 1.4, case 27).
DeciderState begin(const ScalingSpec& spec, const Observation& seen, TimePoint now);

/// State of a decider that goes on from `saved`. What is of the moment (trend, glide, the newest
/// rate) begins anew: since it was saved it may have changed unsaved.
DeciderState resume(const DeciderState& saved, const ScalingSpec& spec, const Observation& seen,
                    TimePoint now);

/// Whether the decider is still fresh: it began less than a stable window ago, and within it
///  - less than two seconds ago: senders of stats come back within one, and replay; or
///  - some ready replica has not reported yet; or
///  - the known seconds do not reach back as far as the predecessor's did, or a whole window.
std::optional<FreshStart> next_fresh(const std::optional<FreshStart>& before,
                                     const ScalingSpec& spec, const Observation& seen,
                                     TimePoint now);

}  // namespace bellows::autoscaler
