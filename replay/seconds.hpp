// Durations as numbers of seconds, exact to the nanosecond.
#pragma once

#include "base/time.hpp"

namespace bellows::replay {

/// The latest second and the longest duration that lines may name: calendar seconds fit, and
/// nanoseconds stay within 63 bits.
inline constexpr double kMaxSeconds = 4e9;

/// The duration of so many seconds. Up to three decimals are exact however late they are; of others
/// whole seconds and the rest are taken apart, and the rest is as exact as the double.
Duration exact_seconds(double seconds);

/// The number that exact_seconds() turns back into `duration`, up to 2^23 s (97 days).
double seconds_number(Duration duration);

}  // namespace bellows::replay
