// The way to zero and back by what was learned of the gaps between calls, for a person.
#pragma once

#include <optional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/gaps.hpp"

namespace bellows::autoscaler::journal {

/// "its last 12 gaps between calls (4m50s to 5m10s, half of them at most 5m)"; nothing if no gap is
/// known or keep-alive is not learned.
std::optional<std::string> gaps_words(const Decision& decision, const Gaps& gaps);

/// With keep-alive learned, until when the last replica stays if nobody calls; nothing if it does
/// not stay, or longer than a day.
std::optional<TimePoint> end_of_keeping(const Decision& decision, const Gaps& gaps);

/// With keep-alive learned, when one is started ahead of a call if nobody calls before; nothing if
/// none is, or not within a day.
std::optional<TimePoint> next_start_ahead(const Decision& decision, const Gaps& gaps);

}  // namespace bellows::autoscaler::journal
