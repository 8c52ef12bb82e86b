// The service times of one second as a histogram of few bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::metrics {

/// Number of buckets, each 10 % wider than the one before. Bucket 0 ends at 100 us, the last one
/// has all times above 2 h. A time is read back as the geometric middle of its bucket, which is at
/// most 4.9 % away from it.
inline constexpr std::size_t kServiceTimeBuckets = 192;

/// Returns the bucket of `time`; a negative one counts as zero.
std::size_t service_time_bucket(Duration time);
/// Returns the seconds as which a time in that bucket is read back.
double service_time_seconds(std::size_t bucket);

using ServiceTimeCounts = std::array<std::uint32_t, kServiceTimeBuckets>;

/// A histogram of at most kMaxBytes on the wire (docs/formats/wire.md, `times`): the first bucket,
/// then a byte for each bucket with requests and one for each gap. A count has three significant
/// bits after its first one. More widely spread times take half a byte for each of up to 66
/// buckets, a factor of 500, and beyond that for each group of 2, 4 or 8. The remainder of a
/// rounded count is added to the next bucket and never moves further. Plain data.
class ServiceTimes {
 public:
  static constexpr std::size_t kMaxBytes = 36;

  ServiceTimes() = default;
  explicit ServiceTimes(const ServiceTimeCounts& counts);

  /// Parses bytes of the wire. kMalformed names the byte and what is valid.
  static Result<ServiceTimes> parse(std::string_view bytes);

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(bytes_.data()), size_};  // NOLINT: bytes as text
  }
  bool empty() const { return size_ == 0; }

  /// Calls add(bucket, count) for each bucket with requests, in order.
  template <class F>
  void for_each(F add) const {
    if (size_ == 0) return;
    if (bytes_[0] >= kHalves) return for_each_half(add);
    std::size_t bucket = bytes_[0];
    for (std::size_t i = 1; i < size_; ++i) {
      const std::uint8_t item = bytes_[i];
      if (item >= kGap) {
        bucket += item - kGap + 1U;
      } else {
        add(bucket++, count_of(item));
      }
    }
  }

  bool operator==(const ServiceTimes&) const = default;

 private:
  static constexpr std::uint8_t kGap = 0x80;

  static constexpr std::uint32_t count_of(std::uint8_t item) {
    const std::uint32_t exponent = item >> 3U;
    return exponent == 0 ? item : (8U + (item & 7U)) << (exponent - 1U);
  }
  /// A first byte from here on selects half bytes: this and the binary logarithm of the buckets in
  /// a group; then the first group, the binary logarithm of the unit of the counts, and the half
  /// bytes.
  static constexpr std::uint8_t kHalves = kServiceTimeBuckets + 1;
  static constexpr std::uint8_t kMostJoined = 3;
  static constexpr std::size_t kHalvesHead = 3;
  static constexpr std::uint8_t kMostScale = 24;
  static constexpr std::array<std::uint32_t, 16> kHalfCounts = {0,  1,  2,  3,  4,  6,  8,   12,
                                                                16, 24, 32, 48, 64, 96, 128, 192};

  template <class F>
  void for_each_half(F add) const {
    const auto joined = static_cast<std::size_t>(bytes_[0] - kHalves);
    std::size_t group = bytes_[1];
    for (std::size_t i = kHalvesHead; i < size_; ++i) {
      const std::uint32_t both = bytes_[i];
      for (const std::uint32_t half : {both >> 4U, both & 15U}) {
        const std::size_t first = group++ << joined;
        if (half > 0) spread(first, joined, kHalfCounts[half] << bytes_[2], add);
      }
    }
  }

  /// Spreads the count evenly over the buckets of a group; a quantile is then wrong by less than
  /// the width of the group.
  template <class F>
  static void spread(std::size_t first, std::size_t joined, std::uint64_t count, F& add) {
    const std::uint64_t buckets = std::uint64_t{1} << joined;
    for (std::uint64_t i = 0; i < buckets; ++i) {
      const std::uint64_t share = count * (i + 1) / buckets - count * i / buckets;
      if (share > 0) add(first + i, static_cast<std::uint32_t>(share));
    }
  }

  static std::uint8_t item_of(std::uint32_t count);
  static std::optional<ServiceTimes> in_bytes(const ServiceTimeCounts& counts);
  static std::optional<ServiceTimes> in_halves(const ServiceTimeCounts& all, std::uint8_t joined);
  static Result<ServiceTimes> parse_halves(std::string_view bytes);

  std::array<std::uint8_t, kMaxBytes> bytes_{};
  std::uint8_t size_ = 0;
};

}  // namespace bellows::metrics
