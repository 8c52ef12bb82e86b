// What a decision's load asks for before any limit, for a person.
#pragma once

#include <string>

#include "autoscaler/core/decision.hpp"

namespace bellows::autoscaler::journal {

/// What was seen, up to the number: "Over the last 6s it had 31.2 requests in flight on average,
/// and one replica should carry 7". No full stop. `ask` is ask_of() of it, or its
/// own answer.
std::string ask_words(const Decision& decision, const Answer& ask);

/// "..., which takes 5", and what the number hides: what the load of the stable window alone would
/// take. For a decision that nothing limits.
std::string met_ask_words(const Decision& decision, const Answer& ask);

/// "..., which would take 5 replicas, but "; of a service that nobody calls "Nobody has called for
/// 2m, so none is needed, but "; of a load that could not be had "The load could not be had, but ".
std::string limited_ask_words(const Decision& decision);

/// "Nobody has called for 2m10s", in whole seconds; "Nobody calls" below one.
std::string idle_words(const Decision& decision);

}  // namespace bellows::autoscaler::journal
