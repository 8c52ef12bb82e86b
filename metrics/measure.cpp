#include "metrics/measure.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::metrics {

double newest_weight(std::int64_t seconds) {
  constexpr double kOldestWeight = 1e-4;
  constexpr double kLeast = 0.2;
  return std::max(1 - std::pow(kOldestWeight, 1 / static_cast<double>(seconds)), kLeast);
}

double rounded(double mean, AverageRounding rounding) {
  constexpr double kDigits = 1e6;
  if (rounding == AverageRounding::kNone) return mean;
  return std::round(mean * kDigits) / kDigits;
}

}  // namespace bellows::metrics
