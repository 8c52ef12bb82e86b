// Every rule in words for people: one row per rule with the short reason, the full reason and what
// happens next.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/explain/subject.hpp"

namespace bellows::autoscaler::explain {

/// "4 because 31.2 requests in flight over 6s: 31.2 / 7, rounded up: 5; limited to 4 by max-scale".
/// No line break.
std::string reason_text(const Decision& decision);

/// Only what follows "because".
std::string brief(const Decision& decision);

/// What was observed, which rule set the number, and the number without that rule. No full stop.
std::string why(const Subject& subject);

/// What happens next; empty if there is nothing to say. No full stop.
std::string next(const Subject& subject);

}  // namespace bellows::autoscaler::explain
