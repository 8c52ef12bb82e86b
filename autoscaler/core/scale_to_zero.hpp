// The last replica: how long it stays when nobody calls (setting keep-alive).
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// A first replica gets this on top of progress-deadline (source: knative.md 3.3).
inline constexpr Duration kProgressSlack = std::chrono::seconds(30);

/// keep-alive idle-clock: 0 once no request was seen for idle-clock, whatever the windows say;
/// until then at least one. Before the bounds.
void run_idle_clock(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                    const Memory& memory, TimePoint now);

/// An answer of no replicas, judged: none is requested, so none is kept, unless it is new and
/// initial-scale asks for the first. Else, with keep-alive window, by the state it is in
/// (knative.md 3.3):
///   not known for a whole window   -> one stays
///   activating                     -> one stays, until progress-deadline and 30 s are over
///   active for less than a window  -> one stays
///   active for longer              -> one stays, and it is inactive from now on
///   inactive                       -> one stays until grace time and retention are over
/// Knative orders nothing in three of these, so that more than one would stay if there were more;
/// here they never are more than a little load would get. Any other answer is left alone. After the
/// bounds.
void keep_last_replica(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                       const Memory& memory, TimePoint now);

/// What next_activity() is to make of an answer: < 0 where it is a hold that says nothing about
/// what is wanted.
PodCount wanted_by_load(const Answer& answer);

}  // namespace bellows::autoscaler
