// The exponential buckets of VPA's histograms: 176, each 5 % wider than the one before.
#pragma once

#include <array>
#include <cstddef>

namespace bellows::recommender {

inline constexpr std::size_t kBuckets = 176;
/// A bucket with less weight than this counts as empty: 0.001 of the weight of one CPU sample.
inline constexpr double kEpsilon = 0.001 * 0.1;

/// Thread: any. Source: VPA, util/histogram_options.go.
class Buckets {
 public:
  explicit Buckets(double first_size);

  /// Returns the bucket with `value` in [start, next start), in floating point arithmetic.
  std::size_t find(double value) const;
  double start(std::size_t bucket) const { return starts_[bucket]; }
  /// Returns the value of a percentile that falls into `bucket`: its end; for the last bucket its
  /// start.
  double end(std::size_t bucket) const {
    return starts_[bucket + 1 < kBuckets ? bucket + 1 : bucket];
  }

 private:
  double first_size_;
  std::array<double, kBuckets> starts_{};
};

const Buckets& cpu_buckets();     ///< in cores, from 0.01
const Buckets& memory_buckets();  ///< in bytes, from 1e7

}  // namespace bellows::recommender
