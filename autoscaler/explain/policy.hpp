// The texts about numbers of policies other than the concurrency decider, for the catalogue.
#pragma once

#include <string>

#include "autoscaler/explain/subject.hpp"

namespace bellows::autoscaler::explain {

/// Returns the policy with the largest number and its reason, or the reasons why no policy has a
/// number.
std::string brief_policy(const Decision& decision);
/// Returns the same with the numbers of the other policies.
std::string why_policy(const Subject& subject);
/// Returns the future number of a schedule.
std::string next_by_policy(const Subject& subject);

std::string brief_occupied(const Decision& decision);
std::string why_occupied(const Subject& subject);

}  // namespace bellows::autoscaler::explain
