// The decision: how many replicas a revision should run now.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Pure. `now` is not before the time of the decision that `state` comes from. The number is
/// absolute, so replicas that were ordered and still start are not ordered again. The numbers of
/// the spec are within their valid ranges; those of the observation are finite and not negative.
/// docs/life_of_a_decision.md walks through it with an example. Allocates nothing unless the spec
/// names other policies than the concurrency decider.
Decision decide(const ScalingSpec& spec, const Observation& seen, const DeciderState& state,
                TimePoint now);

/// Updates `state`, from which `decision` was made, to the one for the next decision.
void remember(DeciderState& state, const Decision& decision);

}  // namespace bellows::autoscaler
