// A decision as one sentence for people.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler {

/// "4 because 31.2 in flight over 6s / target 7 = 4.46 -> 5, held to 4 by max-scale". No line
/// break.
std::string reason_text(const Decision& decision);

/// Of a decision by rule to-zero: the first replica did not become ready in time (rule activating).
bool is_given_up(const Decision& decision);
/// "the first replica was not ready within progress-deadline 60s and 30s more".
std::string given_up_text(const Decision& decision);

/// Only what follows "because".
std::string because(const Decision& decision);

}  // namespace bellows::autoscaler
