#include "recommender/core/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {

namespace {

/// Weights grow to at most 2 to the power of this before the reference moves.
constexpr int kMaxHalfLives = 100;

double without(double value, double weight) {
  value -= weight;
  return value < kEpsilon ? 0 : value;
}

}  // namespace

std::size_t Histogram::rank(std::size_t bucket) const {
  const std::size_t word = bucket / 64;
  const std::uint64_t below = (std::uint64_t{1} << (bucket % 64)) - 1;
  int count = std::popcount(occupied_[word] & below);
  for (std::size_t i = 0; i < word; ++i) count += std::popcount(occupied_[i]);
  return static_cast<std::size_t>(count);
}

double Histogram::weight(std::size_t bucket) const {
  return has(bucket) ? weights_[rank(bucket)] : 0;
}

double& Histogram::place(std::size_t bucket) {
  const std::size_t at = rank(bucket);
  if (!has(bucket)) {
    if (weights_.size() == weights_.capacity()) {
      // Doubling the capacity would waste a quarter of the memory of 100,000 containers.
      weights_.reserve(weights_.size() + std::max<std::size_t>(2, weights_.size() / 4));
    }
    occupied_[bucket / 64] |= std::uint64_t{1} << (bucket % 64);
    weights_.insert(weights_.begin() + static_cast<std::ptrdiff_t>(at), 0.0);
  }
  return weights_[at];
}

void Histogram::add(double value, double weight, WallTime at) {
  const double decayed = weight * decay(at);
  const std::size_t bucket = options_->buckets.find(value);
  double& sum = place(bucket);
  sum += decayed;
  total_weight_ += decayed;
  if (sum < kEpsilon) return;
  min_bucket_ = std::min(min_bucket_, static_cast<std::uint8_t>(bucket));
  max_bucket_ = std::max(max_bucket_, static_cast<std::uint8_t>(bucket));
}

void Histogram::subtract(double value, double weight, WallTime at) {
  const double decayed = weight * decay(at);
  const std::size_t bucket = options_->buckets.find(value);
  total_weight_ = without(total_weight_, decayed);
  if (has(bucket)) {
    double& sum = place(bucket);
    sum = without(sum, decayed);
  }
  shrink_ends();
}

double Histogram::weight_at(WallTime now) {
  return reference_ == kNever ? 0 : total_weight_ / decay(now);
}

void Histogram::merge(Histogram& other) {
  if (reference_ < other.reference_) {
    shift_reference(other.reference_);
  } else if (other.reference_ < reference_) {
    other.shift_reference(reference_);
  }
  for (std::size_t bucket = other.min_bucket_; bucket <= other.max_bucket_; ++bucket) {
    if (other.has(bucket)) place(bucket) += other.weight(bucket);
  }
  total_weight_ += other.total_weight_;
  min_bucket_ = std::min(min_bucket_, other.min_bucket_);
  max_bucket_ = std::max(max_bucket_, other.max_bucket_);
}

std::size_t Histogram::percentile_bucket(double fraction) const {
  const double threshold = fraction * total_weight_;
  double sum = 0;
  std::size_t at = rank(min_bucket_);
  for (std::size_t bucket = min_bucket_; bucket < max_bucket_; ++bucket) {
    if (has(bucket)) sum += weights_[at++];
    if (sum >= threshold) return bucket;
  }
  return std::max(min_bucket_, max_bucket_);
}

double Histogram::percentile(double fraction) const {
  return empty() ? 0 : options_->buckets.end(percentile_bucket(fraction));
}

double Histogram::decay(WallTime at) {
  const Duration longest = std::min(options_->half_life, Duration::max() / kMaxHalfLives);
  if (reference_ == kNever || at - longest * kMaxHalfLives > reference_) shift_reference(at);
  return go_exp2(static_cast<double>((at - reference_).count()) /
                 static_cast<double>(options_->half_life.count()));
}

void Histogram::shift_reference(WallTime at) {
  const WallTime before = reference_;
  reference_ = go_round(at, options_->half_life);
  if (before == kNever) return;  // it has no weights yet
  const double half_lives = std::round(static_cast<double>((before - reference_).count()) /
                                       static_cast<double>(options_->half_life.count()));
  scale(std::exp2(half_lives));
}

void Histogram::scale(double factor) {
  for (double& weight : weights_) weight *= factor;
  total_weight_ *= factor;
  shrink_ends();
}

void Histogram::shrink_ends() {
  while (weight(min_bucket_) < kEpsilon && min_bucket_ < kBuckets - 1) ++min_bucket_;
  while (weight(max_bucket_) < kEpsilon && max_bucket_ > 0) --max_bucket_;
}

Histogram::State Histogram::state() const {
  State state{reference_, total_weight_, min_bucket_, max_bucket_, {}};
  for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
    if (has(bucket)) state.weights[bucket] = weight(bucket);
  }
  return state;
}

void Histogram::set_state(const State& state) {
  occupied_ = {};
  weights_.clear();
  for (const auto& [bucket, weight] : state.weights) place(bucket) = weight;
  reference_ = state.reference;
  total_weight_ = state.total_weight;
  min_bucket_ = static_cast<std::uint8_t>(state.min_bucket);
  max_bucket_ = static_cast<std::uint8_t>(state.max_bucket);
}

void Histogram::load(WallTime reference, double total_weight,
                     const std::map<std::size_t, std::uint32_t>& weights) {
  reference_ = reference;
  double sum = 0;
  for (const auto& [bucket, weight] : weights) sum += weight;
  if (sum == 0) return;
  for (const auto& [bucket, weight] : weights) {
    place(bucket) += weight * (total_weight / sum);
    min_bucket_ = std::min(min_bucket_, static_cast<std::uint8_t>(bucket));
    max_bucket_ = std::max(max_bucket_, static_cast<std::uint8_t>(bucket));
  }
  total_weight_ += total_weight;
  shrink_ends();
}

}  // namespace bellows::recommender
