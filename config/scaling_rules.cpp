#include "config/scaling_rules.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bellows::config {

double waiting_probability(double deviations) {
  const double b = std::max(deviations, 0.0);
  const double cumulative = 0.5 * std::erfc(-b / std::numbers::sqrt2);
  const double density = std::exp(-b * b / 2) / std::sqrt(2 * std::numbers::pi);
  if (density <= 0) return 0;
  return 1 / (1 + b * cumulative / density);
}

double deviations_for(double share) {
  double low = 0;
  double high = 6;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (waiting_probability(middle) > share ? low : high) = middle;
  }
  return high;
}

}  // namespace bellows::config
