// A decider that starts while replicas run knows less than the one before it.
#pragma once

#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/scaling_spec.hpp"
#include "autoscaler/core/state/decider_state.hpp"

namespace bellows::autoscaler {

/// The state of a decider without a predecessor's state. With more than one ready replica it starts
/// in panic mode at their number, so that nothing scales down for a stable window (knative.md 1.4,
/// case 27).
DeciderState begin(const ScalingSpec& spec, const Observation& seen, TimePoint now);

/// The state of a decider of a revision that takes over the callers of another one of its service:
/// as begin(), with what was learned about those callers (idle times, the length of a request, the
/// dispersion).
/// What is known of replicas and load is not theirs.
DeciderState begin_after(const DeciderState& earlier, const ScalingSpec& spec,
                         const Observation& seen, TimePoint now);

/// The state of a decider that continues from `saved`.
DeciderState resume(const DeciderState& saved, const ScalingSpec& spec, const Observation& seen,
                    TimePoint now);

/// Present while the decider is fresh: it started less than a stable window ago, and
///  - less than an evaluation period ago (senders of stats reconnect within a second, and replay);
///    or
///  - a ready replica has not reported yet; or
///  - the known seconds do not reach back as far as the predecessor's did, or a whole window.
std::optional<FreshStart> next_fresh(const std::optional<FreshStart>& before,
                                     const ScalingSpec& spec, const Observation& seen,
                                     TimePoint now);

}  // namespace bellows::autoscaler
