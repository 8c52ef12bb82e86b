// What a decision does not know about its load.
#pragma once

#include <string>

#include "autoscaler/core/rules/unknown_load.hpp"

namespace bellows::autoscaler::explain {

/// "Only 23s of the last 1m are known", "The load could not be measured". No full stop. For a
/// decision by rule no-data, or one that is not valid.
std::string unknown_sentence(const Decision& decision);

/// The same after "because": in lower case.
std::string unknown_brief(const Decision& decision);

/// What follows from it: ", so nothing scales down".
std::string unknown_consequence(const Decision& decision);

}  // namespace bellows::autoscaler::explain
