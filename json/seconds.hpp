// Durations as numbers of seconds, exact to the nanosecond.
#pragma once

#include "base/time.hpp"

namespace bellows::json {

/// The latest instant and the longest duration that a line may name, in seconds. Calendar seconds
/// fit, and nanoseconds stay within 63 bits.
inline constexpr double kMaxSeconds = 4e9;

/// Returns the duration of `seconds`. Up to three decimals are exact however large the number is. A
/// number with more decimals is split into whole seconds and a rest; the rest is as exact as the
/// double.
Duration exact_seconds(double seconds);

/// Returns the number that exact_seconds() turns back into `duration`, up to 2^23 s (97 days).
double seconds_number(Duration duration);

}  // namespace bellows::json
