// What the slow brain says, in one or two sentences for `bellows explain`.
#pragma once

#include <string>

#include "autoscaler/slow/slow_brain.hpp"

namespace bellows::autoscaler::slow {

/// "The slow brain advises target 38 instead of 100: CPU binds, 80 % of the limit at 54 in flight
/// (sure: 92 %, 3h of data); it would take 2 replicas more and change p95 from 340ms to 160ms."
/// `in_use` is what a replica is sized at, `load` the requests in flight of all replicas; both
/// are 0 if unknown. No line break.
std::string sentence(const SlowSpec& spec, const SlowState& state, const Advice& advice,
                     config::SlowBrain mode, double in_use, double load);

}  // namespace bellows::autoscaler::slow
