#include "recommender/core/amounts.hpp"

#include <cmath>

namespace bellows::recommender {
namespace {

/// The whole number that a product stands for, `noise` being what it may be off by, of itself.
double without_noise(double product, double noise) {
  const double whole = std::round(product);
  return std::abs(product - whole) <= noise * whole ? whole : product;
}

}  // namespace

double in_units(const Usage& usage) {
  constexpr double kMillicores = 1000;
  constexpr double kOfMeasures = 1e-9;  // 1.001 cores times 1000 is 1000.9999999999999
  if (usage.resource == Resource::kMemory) return usage.amount;
  return without_noise(usage.amount * kMillicores, kOfMeasures);
}

double part_of(double fraction, double amount) {
  constexpr double kOfDoubles = 1e-15;  // a few of their last bits
  return without_noise(fraction * amount, kOfDoubles);
}

}  // namespace bellows::recommender
