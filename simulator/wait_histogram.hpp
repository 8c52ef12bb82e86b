// A histogram of waiting times: constant memory for any number of requests.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/time.hpp"

namespace bellows::simulator {

/// Buckets of equal width within each power of two, as in HdrHistogram (G. Tene): a percentile is
/// at most 2^-bits (8: 0.4 %) above the true one, and never above the longest wait, which is exact.
/// Waits below 2^bits nanoseconds are exact.
class WaitHistogram {
 public:
  explicit WaitHistogram(unsigned bits = 8) : bits_(bits) {}

  /// `wait` is not negative.
  void record(Duration wait) {
    ++count_;
    if (wait == Duration::zero()) return;
    const std::size_t at = index(static_cast<std::uint64_t>(wait.count()));
    if (at >= counts_.size()) counts_.resize(at + 1);
    ++counts_[at];
    ++waited_;
    longest_ = std::max(longest_, wait);
    sum_ += to_seconds(wait);
  }

  /// Adds the waits of a histogram with as many bits.
  void add(const WaitHistogram& other) {
    if (other.counts_.size() > counts_.size()) counts_.resize(other.counts_.size());
    for (std::size_t at = 0; at < other.counts_.size(); ++at) counts_[at] += other.counts_[at];
    count_ += other.count_;
    waited_ += other.waited_;
    longest_ = std::max(longest_, other.longest_);
    sum_ += other.sum_;
  }

  std::uint64_t count() const { return count_; }
  /// Requests that waited longer than zero.
  std::uint64_t waited() const { return waited_; }
  Duration longest() const { return longest_; }
  /// Mean in seconds over all requests; 0 without any.
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }

  /// The quantile of `share` (0 to 1), nearest rank; zero without any request.
  Duration percentile(double share) const {
    const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
    std::uint64_t seen = count_ - waited_;
    if (rank <= seen) return Duration::zero();
    for (std::size_t at = 0; at < counts_.size(); ++at) {
      seen += counts_[at];
      if (seen >= rank) return std::min(longest_, Duration(highest_of(at)));
    }
    return longest_;
  }

  void clear() {
    if (waited_ > 0) std::fill(counts_.begin(), counts_.end(), 0);
    count_ = waited_ = 0;
    longest_ = {};
    sum_ = 0;
  }

 private:
  std::size_t index(std::uint64_t value) const {
    const auto width = static_cast<unsigned>(std::bit_width(value));
    if (width <= bits_) return value;
    const unsigned shift = width - bits_ - 1;
    return ((shift + std::size_t{1}) << bits_) + (value >> shift) - (std::uint64_t{1} << bits_);
  }
  std::int64_t highest_of(std::size_t at) const {
    const std::uint64_t octave = at >> bits_;
    if (octave == 0) return static_cast<std::int64_t>(at);
    const std::uint64_t shift = octave - 1;
    const std::uint64_t place = at - (octave << bits_) + (std::uint64_t{1} << bits_);
    return static_cast<std::int64_t>(((place + 1) << shift) - 1);
  }

  unsigned bits_;
  std::uint64_t count_ = 0;
  std::uint64_t waited_ = 0;
  Duration longest_{};
  double sum_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace bellows::simulator
