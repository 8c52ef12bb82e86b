#include "recommender/core/buckets.hpp"

#include <algorithm>
#include <cmath>

#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {

namespace {

constexpr double kRatio = 1. + 0.05;

}  // namespace

Buckets::Buckets(double first_size) : first_size_(first_size) {
  for (std::size_t bucket = 1; bucket < kBuckets; ++bucket) {
    starts_[bucket] = first_size * (go_power(kRatio, static_cast<int>(bucket)) - 1) / (kRatio - 1);
  }
}

std::size_t Buckets::find(double value) const {
  if (value < first_size_) return 0;
  static const double log_ratio = std::log(kRatio);
  const double bucket = std::log(value * (kRatio - 1) / first_size_ + 1) / log_ratio;
  return std::min(static_cast<std::size_t>(bucket), kBuckets - 1);
}

const Buckets& cpu_buckets() {
  static const Buckets buckets(0.01);
  return buckets;
}

const Buckets& memory_buckets() {
  static const Buckets buckets(1e7);
  return buckets;
}

}  // namespace bellows::recommender
