// The sentences of numbers that other policies than the concurrency decider set, for the catalogue.
#pragma once

#include <string>

#include "autoscaler/explain/subject.hpp"

namespace bellows::autoscaler::explain {

/// The policy that asks for the most, and its reason; or why none can say.
std::string brief_policy(const Decision& decision);
/// The same, and what the others ask for.
std::string why_policy(const Subject& subject);
/// What a schedule will want.
std::string next_by_policy(const Subject& subject);

std::string brief_occupied(const Decision& decision);
std::string why_occupied(const Subject& subject);

}  // namespace bellows::autoscaler::explain
