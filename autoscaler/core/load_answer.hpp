// What load and usage ask for, before any limit.
#pragma once

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// The stable window's answer; in panic the panic window's if that is greater, or alone
/// (panic-decides). CPU and memory of the ready replicas may ask for more. Then the buffer on top.
Answer load_answer(const Outcome& weighed, const ScalingSpec& spec, const Memory& memory);

/// While a replica serves, requests that wait are in the load already, and one replica must stay
/// for them; before that the first of them must be enough, without any average (first-replicas).
PodCount pods_for_waiting(const ScalingSpec& spec, const Observation& seen);

/// The two of a decision that was taken, for telling: what was asked for before any limit, and by
/// which rule.
Answer ask_of(const Decision& decision);

/// While there is any load: at least activation-scale. In panic the panic window's load is enough
/// (knative.md 1.4, step 6).
void activate(Answer& answer, const Outcome& weighed, const ScalingSpec& spec,
              const Memory& memory);

}  // namespace bellows::autoscaler
