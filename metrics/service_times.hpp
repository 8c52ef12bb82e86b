// The service times of one second as a histogram of few bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::metrics {

/// Buckets that are each 10 % wider than the one before. Bucket 0 ends at 100 us, the last one
/// takes everything above 2 h. A time is read back as the geometric middle of its bucket, which is
/// at most 4.9 % away from it.
inline constexpr std::size_t kServiceTimeBuckets = 192;

/// The bucket of `time`; a negative one counts as zero.
std::size_t service_time_bucket(Duration time);
/// What a time in that bucket is read back as, in seconds.
double service_time_seconds(std::size_t bucket);

using ServiceTimeCounts = std::array<std::uint32_t, kServiceTimeBuckets>;

/// At most kMaxBytes on the wire (docs/wire.md, `times`): the first bucket, then a byte for each
/// bucket with requests and one for each gap. A count has three significant bits after its first;
/// what that leaves over is added to the next bucket, so no quantile moves further than a bucket.
/// If the times are spread too widely, the rarest join their neighbours. Plain data.
class ServiceTimes {
 public:
  static constexpr std::size_t kMaxBytes = 36;

  ServiceTimes() = default;
  explicit ServiceTimes(const ServiceTimeCounts& counts);

  /// Reads bytes of the wire. kMalformed names the byte and what is valid.
  static Result<ServiceTimes> parse(std::string_view bytes);

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(bytes_.data()), size_};  // NOLINT: bytes as text
  }
  bool empty() const { return size_ == 0; }

  /// Calls add(bucket, count) for each bucket with requests, in order.
  template <class F>
  void for_each(F add) const {
    if (size_ == 0) return;
    const std::size_t joined = joined_of(bytes());
    std::size_t i = joined > 0 ? 1 : 0;
    std::size_t bucket = bytes_[i];
    for (++i; i < size_; ++i) {
      const std::uint8_t item = bytes_[i];
      if (item >= kGap) {
        bucket += item - kGap + 1U;
      } else {
        add((bucket++ << joined) + ((std::size_t{1} << joined) >> 1U), count_of(item));
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
  /// The binary logarithm of the buckets in a group.
  static constexpr std::uint8_t kMostJoined = 3;
  static constexpr std::size_t joined_of(std::string_view bytes) {
    const std::size_t first = bytes.empty() ? 0 : static_cast<std::uint8_t>(bytes[0]);
    const std::size_t joined = first > kServiceTimeBuckets ? first - kServiceTimeBuckets : 0;
    return joined <= kMostJoined ? joined : 0;
  }
  static std::uint8_t item_of(std::uint32_t count);
  static std::optional<ServiceTimes> packed(const ServiceTimeCounts& all, std::uint8_t joined);

  std::array<std::uint8_t, kMaxBytes> bytes_{};
  std::uint8_t size_ = 0;
};

}  // namespace bellows::metrics
