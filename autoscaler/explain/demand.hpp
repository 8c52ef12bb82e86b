// What a decision's load asks for before any limit: in a few words and as a sentence.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::explain {

/// "31.2 requests in flight over 6s: 31.2 / 7, rounded up: 5". `demand` is demand_of() of the
/// decision, or its own number if a rule of the load set that.
std::string demand_brief(const Decision& decision, const DesiredReplicas& demand);

/// "Over the last 6s it had 31.2 requests in flight on average, the target is 7 per replica, which
/// takes 5", and what the short text leaves out: what the load of the stable window alone takes. No
/// full stop. For a decision that nothing limits.
std::string met_demand(const Decision& decision, const DesiredReplicas& demand);

/// "..., which would take 5 replicas, but "; without load "No request for 2m, so no replica is
/// needed, but "; if the load is not known "The load could not be measured, but ".
std::string limited_demand(const Decision& decision);

/// "No request for 2m10s", in whole seconds; "No requests" below one.
std::string idle_sentence(const Decision& decision);

}  // namespace bellows::autoscaler::explain
