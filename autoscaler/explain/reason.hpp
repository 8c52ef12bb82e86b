// The reasons of the catalogue: the text after "because", with the arithmetic.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::explain {

/// Returns the reason of a rule that orders replicas.
std::string brief_demand(const Decision& decision);
/// Returns the reason of a rule between those and the bounds (is_hold()).
std::string brief_hold(const Decision& decision);
std::string brief_initial_scale(const Decision& decision);
std::string brief_min_scale(const Decision& decision);
std::string brief_max_scale(const Decision& decision);
/// Returns the reason of a rule about the last replica.
std::string brief_idle(const Decision& decision);
std::string brief_machine_room(const Decision& decision);
/// Returns the policy with the largest number and its reason, or the reasons why no policy has a
/// number.
std::string brief_policy(const Decision& decision);
std::string brief_occupied(const Decision& decision);

}  // namespace bellows::autoscaler::explain
