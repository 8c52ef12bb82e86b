// The demand of a decision's load before any limit, in a few words and as a sentence.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::explain {

/// Returns "31.2 requests in flight over 6s: 31.2 / 7, rounded up: 5". `demand` is demand_of() of
/// the decision, or the number of the decision if a rule of the load set it.
std::string demand_brief(const Decision& decision, const DesiredReplicas& demand);

/// Returns "Over the last 6s it had 31.2 requests in flight on average, the target is 7 per
/// replica, which takes 5", and the demand of the stable window alone, which the short text leaves
/// out. It has no full stop. The decision has no limit.
std::string met_demand(const Decision& decision, const DesiredReplicas& demand);

/// Returns "..., which would take 5 replicas, but "; without load "No request for 2m, so no replica
/// is needed, but "; with an unknown load "The load could not be measured, but ".
std::string limited_demand(const Decision& decision);

/// Returns "No request for 2m10s", in whole seconds; "No requests" below one second.
std::string idle_sentence(const Decision& decision);

}  // namespace bellows::autoscaler::explain
