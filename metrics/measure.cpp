#include "metrics/measure.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::metrics {

namespace {

constexpr double kOldestWeight = 1e-4;

/// Returns kOldestWeight to the power 1 / seconds in the steps of Go's math.Pow, which differ from
/// std::pow's in the last bit for some lengths (3, 5, 6, 11, 23, ... seconds).
double decay_in_go(std::int64_t seconds) {
  if (seconds == 1) return kOldestWeight;
  if (seconds == 2) return std::sqrt(kOldestWeight);
  return std::exp(1 / static_cast<double>(seconds) * std::log(kOldestWeight));
}

}  // namespace

double newest_weight(std::int64_t seconds) {
  constexpr double kMin = 0.2;
  return std::max(1 - decay_in_go(seconds), kMin);
}

double rounded(double mean, AverageRounding rounding) {
  constexpr double kDigits = 1e6;
  if (rounding == AverageRounding::kNone) return mean;
  return std::round(mean * kDigits) / kDigits;
}

}  // namespace bellows::metrics
