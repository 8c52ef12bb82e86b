// Go's arithmetic where it differs from the C library's or where VPA's results depend on it.
#pragma once

#include <cstdint>

#include "base/time.hpp"

namespace bellows::recommender {

/// Equals math.Pow for a whole exponent: the mantissa is squared repeatedly. glibc's pow differs in
/// the last bits, and one difference is visible: memory bucket 3 ends at 43101249 bytes.
double go_power(double base, int exponent);

/// Equals math.Exp2 for -1000 < exponent < 1000: fdlibm's e_exp.c with halves of ln 2, as in Go.
/// glibc's sometimes differs in the last bit, which is visible where a percentile falls between two
/// buckets.
double go_exp2(double exponent);

/// Equals time.Time.Round: the nearest multiple of `step` since the year 1, halves up. Saturates at
/// the ends of WallTime.
WallTime go_round(WallTime time, Duration step);

/// Equals VPA's ScaleResource: `amount * factor` truncated to a whole amount within [0, 1e14].
std::int64_t whole_amount(double amount);

inline constexpr std::int64_t kMaxAmount = 100'000'000'000'000;

}  // namespace bellows::recommender
