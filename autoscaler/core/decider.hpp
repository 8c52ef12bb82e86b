// The decision: how many replicas a revision should run now.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// Pure. `now` is not before the instant of the decision that `state` comes from. The answer is
/// absolute, so replicas that were ordered and still start are not ordered again. The numbers of
/// the spec are in their valid ranges; the observation's are finite and not negative.
/// docs/life_of_a_decision.md walks through it with an example. Costs no allocation.
Decision decide(const ScalingSpec& spec, const Observation& seen, const DeciderState& state,
                TimePoint now);

/// Makes `state`, which `decision` was taken from, the one that the next decision starts from.
void remember(DeciderState& state, const Decision& decision);

}  // namespace bellows::autoscaler
