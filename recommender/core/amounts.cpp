#include "recommender/core/amounts.hpp"

#include <cmath>

namespace bellows::recommender {
namespace {

/// The whole number that a product stands for: 1.001 cores times 1000 is 1000.9999999999999.
double without_noise(double product) {
  constexpr double kNoise = 1e-9;
  const double whole = std::round(product);
  return std::abs(product - whole) <= kNoise * whole ? whole : product;
}

}  // namespace

double in_units(const Usage& usage) {
  constexpr double kMillicores = 1000;
  return usage.resource == Resource::kMemory ? usage.amount
                                             : without_noise(usage.amount * kMillicores);
}

double part_of(double fraction, double amount) {
  return without_noise(fraction * amount);
}

}  // namespace bellows::recommender
