// Durations as people write them: "90s", "1m30s", "250ms", "1.5h".
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows {

/// Reads one or more numbers with units, each unit once and in descending order: d, h, m, s, ms,
/// us, ns. A number without a unit is an error, except "0"; a negative duration is an error too.
/// Errors are kInvalidSetting with the text.
Result<Duration> parse_duration(std::string_view text);

/// Returns the shortest text that parse_duration() reads back to the same duration: "1m30s",
/// "250ms", "0s".
std::string duration_text(Duration duration);

/// Returns a text for people, rounded to three digits: "312ms", "1.25s", "4m10s".
std::string rounded_duration_text(Duration duration);

}  // namespace bellows
