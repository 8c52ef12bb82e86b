// What is not known of a load, for a person.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::journal {

/// "23s of the last 1m".
std::string known_part_words(const Decision& decision);

/// "Only 23s of the last 1m are known", "The load could not be had". No full stop.
std::string unknown_words(const Decision& decision);

}  // namespace bellows::autoscaler::journal
