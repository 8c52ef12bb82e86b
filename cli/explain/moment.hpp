// Instants of the calendar as people type and read them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::cli {

/// Understands, in the local time that is `ahead` of UTC:
///   14:03:05, 14:03             the latest such time of day that is not after `now`
///   -30s                        that long before `now`
///   2026-11-21T14:03:05         a blank for the T too; fractions of a second too;
///   2026-11-21T14:03:05Z, +01:00     RFC 3339
/// kInvalidSetting naming the text, these forms and the one that needs no calendar (explain.hpp).
Result<WallTime> parse_moment(std::string_view text, WallTime now, Duration ahead);

/// "14:03:05" in local time; with the date before it if that is not the day of `now`.
std::string moment_text(WallTime moment, WallTime now, Duration ahead);

}  // namespace bellows::cli
