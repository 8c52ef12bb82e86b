// What is not known of a load, for a person.
#pragma once

#include <string>

#include "autoscaler/core/unknown_load.hpp"

namespace bellows::autoscaler::journal {

/// "Only 23s of the last 1m are known", "The load could not be had". No full stop. For a decision
/// by rule no-data, or one that is not valid.
std::string unknown_words(const Decision& decision);

/// What follows from it: ", so nothing is taken away".
std::string what_stays_words(const Decision& decision);

}  // namespace bellows::autoscaler::journal
