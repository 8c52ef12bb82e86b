// Usage in the units of targets: millicores and bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// Returns CPU in millicores (whole millicores are exact), memory in bytes.
double in_units(const Usage& usage);

/// Returns a fraction of an amount without rounding noise: 0.7 of 90 is 63, not one ulp less, so
/// that comparisons with thresholds are exact.
double part_of(double fraction, double amount);

/// Returns `amount` truncated to whole units as VPA does, but at least `usage`.
std::int64_t whole_target(double amount, std::optional<double> usage);

}  // namespace bellows::recommender
