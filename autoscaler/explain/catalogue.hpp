// The texts of every rule: one row per rule with the short reason, the full reason and the next
// event.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/explain/subject.hpp"

namespace bellows::autoscaler::explain {

/// Returns "4 because 31.2 requests in flight over 6s: 31.2 / 7, rounded up: 5; limited to 4 by
/// max-scale", without a line break.
std::string reason_text(const Decision& decision);

/// Returns only the text after "because".
std::string brief(const Decision& decision);

/// Returns the observation, the rule that set the number, and the number without that rule, without
/// a full stop.
std::string why(const Subject& subject);

/// Returns the next event, without a full stop; empty: none is known.
std::string next(const Subject& subject);

}  // namespace bellows::autoscaler::explain
