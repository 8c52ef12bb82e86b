// The demand of load and usage, before any limit.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The demand of the stable window; in panic mode that of the panic window if it is greater, or
/// alone (profile seed). CPU and memory of the ready replicas may raise it.
DesiredReplicas load_demand(const Outcome& weighed, const ScalingSpec& spec, const Memory& memory);

/// Replicas that bring `usage`, a mean over the ready ones, to its target; 0: unknown, or no
/// target.
PodCount pods_for_usage(const ScalingSpec& spec, const Observation& seen,
                        const std::optional<double>& usage, double target);

/// The demand of waiting requests. While a replica serves, they are part of the load already, and
/// one replica must stay for them; before that the first of them is enough for a decision, without
/// any average (first-replicas).
PodCount pods_for_waiting(const ScalingSpec& spec, const Observation& seen);

/// The demand of a decision that was made: both of the above, with the rule that set it.
DesiredReplicas demand_of(const Decision& decision);

/// Raises the number to activation-scale while there is load. In panic mode the load of the panic
/// window is enough (knative.md 1.4, step 6).
void activate(DesiredReplicas& desired, const Outcome& weighed, const ScalingSpec& spec,
              const Memory& memory);

}  // namespace bellows::autoscaler
