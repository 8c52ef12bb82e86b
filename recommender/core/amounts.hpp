// Usage in the units in which targets are told: millicores and bytes.
#pragma once

#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// CPU in millicores (whole ones exactly), memory in bytes.
double in_units(const Usage& usage);

/// A part of an amount in units: 0.7 of 90 is 63, not one ulp less, so that equality is equality.
double part_of(double fraction, double amount);

}  // namespace bellows::recommender
