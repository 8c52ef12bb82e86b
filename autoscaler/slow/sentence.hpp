// The advice of the slow brain in one or two sentences, for `bellows explain`.
#pragma once

#include <string>

#include "autoscaler/slow/slow_brain.hpp"

namespace bellows::autoscaler::slow {

/// Returns "The slow brain advises target 38 instead of 100: CPU binds, 80 % of the limit at 54 in
/// flight (sure: 92 %, 3h of data); it would take 2 replicas more and change p95 from 340ms to
/// 160ms.", without a line break. `in_use` is the target in use, `load` the requests in flight of
/// all replicas; both are 0 if unknown.
std::string sentence(const SlowSpec& spec, const SlowState& state, const Advice& advice,
                     config::SlowBrain mode, double in_use, double load);

}  // namespace bellows::autoscaler::slow
