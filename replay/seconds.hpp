// Spans as numbers of seconds, exact to the nanosecond.
#pragma once

#include "base/time.hpp"

namespace bellows::replay {

/// The latest second and the longest span that lines may name: calendar seconds fit, and
/// nanoseconds stay within 63 bits.
inline constexpr double kMostSeconds = 4e9;

/// The span of so many seconds. Whole seconds and the rest are taken apart, so that 0.001 s is
/// exact however late it is.
Duration exact_seconds(double seconds);

/// The number that exact_seconds() turns back into `span`, up to 2^23 s (97 days).
double seconds_number(Duration span);

}  // namespace bellows::replay
