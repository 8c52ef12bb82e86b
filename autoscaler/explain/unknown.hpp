// The unknown part of a decision's load.
#pragma once

#include <string>

#include "autoscaler/core/rules/unknown_load.hpp"

namespace bellows::autoscaler::explain {

/// Returns "Only 23s of the last 1m are known" or "The load could not be measured", without a full
/// stop. The decision is one of rule no-data, or an invalid one.
std::string unknown_sentence(const Decision& decision);

/// Returns the same in lower case, as the text after "because".
std::string unknown_brief(const Decision& decision);

/// Returns the consequence: ", so nothing scales down".
std::string unknown_consequence(const Decision& decision);

}  // namespace bellows::autoscaler::explain
