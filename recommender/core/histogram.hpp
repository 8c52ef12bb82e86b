// A histogram whose samples lose half their weight per half-life, stored sparsely.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "base/time.hpp"
#include "recommender/core/buckets.hpp"

namespace bellows::recommender {

/// Shared by all histograms of one resource. Outlives them.
struct HistogramOptions {
  const Buckets& buckets;
  Duration half_life;
};

/// VPA's decaying histogram, bit for bit: only occupied buckets are stored, in the order of the
/// buckets, because adding a zero does not change a sum. Owner: an Aggregate. Thread: as its owner.
/// Source: VPA, util/histogram.go, util/decaying_histogram.go.
class Histogram {
 public:
  explicit Histogram(const HistogramOptions& options) : options_(&options) {}
  explicit Histogram(HistogramOptions&& options) = delete;  // it outlives the histogram

  void add(double value, double weight, WallTime at);
  /// Prefetches what add() reads from the heap.
  void fetch_ahead() const { __builtin_prefetch(weights_.data()); }
  /// Removes a sample that was added with the same arguments. Weights below kEpsilon become exactly
  /// 0.
  void subtract(double value, double weight, WallTime at);
  /// Returns the decayed sum of all weights at `now`; 0 if it is empty.
  double weight_at(WallTime now);
  /// Multiplies all weights.
  void scale(double factor);
  /// Adds all weights of `other`. The older reference time moves to the newer one first, so `other`
  /// may change its representation (not its value).
  void merge(Histogram& other);

  /// Returns the end of the bucket in which the running sum of weights reaches `fraction` of the
  /// total; 0 if it is empty. The order of samples changes the last bits of that sum.
  double percentile(double fraction) const;
  /// Returns the bucket of that percentile.
  std::size_t percentile_bucket(double fraction) const;

  bool empty() const { return weight(min_bucket_) < kEpsilon; }
  double weight(std::size_t bucket) const;
  double total_weight() const { return total_weight_; }
  std::size_t min_bucket() const { return min_bucket_; }
  std::size_t max_bucket() const { return max_bucket_; }
  const Buckets& buckets() const { return options_->buckets; }

  /// Weights are relative to this time; kNever before the first sample.
  WallTime reference() const { return reference_; }
  static constexpr WallTime kNever = WallTime::min();

  /// The complete state, for lossless saving.
  struct State {
    WallTime reference = kNever;
    double total_weight = 0;
    std::size_t min_bucket = kBuckets - 1;
    std::size_t max_bucket = 0;
    std::map<std::size_t, double> weights;
  };
  State state() const;
  void set_state(const State& state);
  /// Adds weights that were stored relative to their sum (a checkpoint), then updates the first and
  /// last bucket.
  void load(WallTime reference, double total_weight,
            const std::map<std::size_t, std::uint32_t>& weights);

 private:
  bool has(std::size_t bucket) const { return (occupied_[bucket / 64] >> (bucket % 64) & 1) != 0; }
  std::size_t rank(std::size_t bucket) const;
  double& place(std::size_t bucket);
  double decay(WallTime at);
  void shift_reference(WallTime at);
  void shrink_ends();

  const HistogramOptions* options_;
  std::array<std::uint64_t, 3> occupied_{};  // a bit per bucket that has an element in weights_
  std::vector<double> weights_;              // of occupied buckets, in their order
  double total_weight_ = 0;
  WallTime reference_ = kNever;
  std::uint8_t min_bucket_ = kBuckets - 1;
  std::uint8_t max_bucket_ = 0;
};

}  // namespace bellows::recommender
