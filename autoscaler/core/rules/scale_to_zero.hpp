// How long the last replica stays without requests (setting keep-alive).
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The time in which a first replica has to become ready: progress-deadline plus 30 s (source:
/// knative.md 3.3).
inline Duration start_timeout(const ScalingSpec& spec) {
  return spec.progress_deadline + std::chrono::seconds(30);
}

/// True while the activator is not known to be in the path.
bool is_bypassed(const ScalingSpec& spec, const Observation& seen);

/// Keep-alive constant: 0 once no request arrived for idle-clock, whatever the windows hold; at
/// least one until then. Applies before the bounds.
void run_idle_clock(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                    const Memory& memory, TimePoint now);

/// Decides whether a number of zero becomes final. If no replica is requested, none is kept, unless
/// the revision is new and initial-scale starts the first. Otherwise, with keep-alive window, it
/// depends on the state (knative.md 3.3):
///   unknown for a whole window     -> one stays
///   activating                     -> one stays, until start_timeout() is over
///   active for less than a window  -> one stays
///   active for longer              -> one stays, and the revision becomes inactive
///   inactive                       -> one stays until grace period and retention are over
/// In three of these Knative orders nothing, so more than one would stay if there were more; here
/// they are never more than a small load would get. Any other number is unchanged. Applies after
/// the bounds.
void keep_last_replica(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                       const Memory& memory, TimePoint now);

/// The number for next_activity(): < 0 for a hold that does not show whether replicas are needed.
PodCount replicas_by_load(const DesiredReplicas& desired);

/// True if `decision` goes to zero because the first replica was not ready within start_timeout().
bool is_start_given_up(const Decision& decision);

}  // namespace bellows::autoscaler
