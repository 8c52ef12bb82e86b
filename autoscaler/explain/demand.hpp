// The demand of a decision's load before any limit, in a few words.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::explain {

/// Returns "31.2 requests in flight over 6s: 31.2 / 7, rounded up: 5". `demand` is demand_of() of
/// the decision, or the number of the decision if a rule of the load set it.
std::string demand_brief(const Decision& decision, const DesiredReplicas& demand);

/// Returns "only 23s of the last 1m are known" or "the load could not be measured". The decision is
/// one of rule no-data, or an invalid one.
std::string unknown_brief(const Decision& decision);

}  // namespace bellows::autoscaler::explain
