// Points in time as users type and read them: the value of `bellows explain --at`.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::cli {

/// Reads a point in time. Local time is UTC plus `utc_offset`.
///   14:03:05, 14:03                the latest such time of day that is not after `now`
///   -30s                           that long before `now`
///   2026-11-21T14:03:05            local; a blank may replace the T, fractions of a second may
///   follow 2026-11-21T14:03:05Z, +01:00   RFC 3339
/// kInvalidSetting: the text has none of these forms. The error lists them and the form that needs
/// no calendar (explain.hpp).
Result<WallTime> parse_time_spec(std::string_view text, WallTime now, Duration utc_offset);

/// Returns "14:03:05" in local time, preceded by the date unless it is the day of `now`.
std::string local_time_text(WallTime instant, WallTime now, Duration utc_offset);

}  // namespace bellows::cli
