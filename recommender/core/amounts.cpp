#include "recommender/core/amounts.hpp"

#include <algorithm>
#include <cmath>

#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {
namespace {

/// Returns the whole number nearest to `product` if it is within the fraction `noise` of it.
double without_noise(double product, double noise) {
  const double whole = std::round(product);
  return std::abs(product - whole) <= noise * whole ? whole : product;
}

}  // namespace

double in_units(const Usage& usage) {
  constexpr double kMeasurementNoise = 1e-9;  // 1.001 cores times 1000 is 1000.9999999999999
  if (usage.resource == Resource::kMemory) return usage.amount;
  return without_noise(usage.amount * kMillicoresPerCore, kMeasurementNoise);
}

double part_of(double fraction, double amount) {
  constexpr double kRoundingNoise = 1e-15;  // the last few bits of a double
  return without_noise(fraction * amount, kRoundingNoise);
}

std::int64_t whole_target(double amount, std::optional<double> usage) {
  return std::max(whole_amount(amount), whole_amount(std::ceil(usage.value_or(0))));
}

}  // namespace bellows::recommender
