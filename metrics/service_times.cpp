#include "metrics/service_times.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "base/check.hpp"

namespace bellows::metrics {
namespace {

constexpr double kFirstEnd = 1e-4;  // seconds
const double kLogOfRatio = std::log(1.1);

}  // namespace

std::size_t service_time_bucket(Duration time) {
  const double seconds = to_seconds(time);
  if (!(seconds > kFirstEnd)) return 0;
  const double bucket = std::ceil(std::log(seconds / kFirstEnd) / kLogOfRatio - 1e-9);
  return std::min(static_cast<std::size_t>(bucket), kServiceTimeBuckets - 1);
}

double service_time_seconds(std::size_t bucket) {
  return kFirstEnd * std::exp(kLogOfRatio * (static_cast<double>(bucket) - 0.5));
}

/// The largest count with four significant bits that is not above `count`.
std::uint8_t ServiceTimes::item_of(std::uint32_t count) {
  if (count < 8) return static_cast<std::uint8_t>(count);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(count)) - 4U;
  if (shift >= 15) return kGap - 1;
  return static_cast<std::uint8_t>(((shift + 1U) << 3U) | ((count >> shift) & 7U));
}

ServiceTimes::ServiceTimes(const ServiceTimeCounts& counts) {
  for (std::uint8_t joined = 0; joined <= kMostJoined; ++joined) {
    if (const auto made = packed(counts, joined)) {
      *this = *made;
      return;
    }
  }
  CHECK(false, "24 groups of 8 buckets fit into kMaxBytes");
}

/// nullopt: it takes more than kMaxBytes.
std::optional<ServiceTimes> ServiceTimes::packed(const ServiceTimeCounts& all,
                                                 std::uint8_t joined) {
  std::array<std::uint64_t, kServiceTimeBuckets> counts{};
  for (std::size_t i = 0; i < all.size(); ++i) counts[i >> joined] += all[i];
  ServiceTimes made;
  std::size_t next = 0;  // the bucket that the next byte is about
  std::uint64_t left_over = 0;
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (counts[bucket] == 0) continue;
    if (made.size_ == 0) {
      if (joined > 0) {
        made.bytes_[made.size_++] = static_cast<std::uint8_t>(kServiceTimeBuckets + joined);
      }
      made.bytes_[made.size_++] = static_cast<std::uint8_t>(bucket);
      next = bucket;
    }
    for (std::size_t gap = bucket - next; gap > 0;) {
      const std::size_t step = std::min<std::size_t>(gap, 128);
      if (made.size_ == kMaxBytes) return std::nullopt;
      made.bytes_[made.size_++] = static_cast<std::uint8_t>(kGap + step - 1);
      gap -= step;
    }
    if (made.size_ == kMaxBytes) return std::nullopt;
    const std::uint64_t count =
        std::min<std::uint64_t>(counts[bucket] + left_over, std::uint32_t{0} - 1U);
    const std::uint8_t item = item_of(static_cast<std::uint32_t>(count));
    left_over = count - count_of(item);
    made.bytes_[made.size_++] = item;
    next = bucket + 1;
  }
  return made;
}

Result<ServiceTimes> ServiceTimes::parse(std::string_view bytes) {
  const auto wrong = [](std::string message) {
    return fail(ErrorKind::kMalformed, "times", std::move(message));
  };
  if (bytes.size() > kMaxBytes) {
    return wrong(std::to_string(bytes.size()) + " bytes; at most 36 are read");
  }
  ServiceTimes read;
  const std::size_t joined = joined_of(bytes);
  const std::size_t head = bytes.empty() ? 0 : (joined > 0 ? 2 : 1);
  if (bytes.size() == head && head > 0) {
    return wrong(std::to_string(head) + " bytes; must be a bucket and at least one count");
  }
  const std::size_t buckets = kServiceTimeBuckets >> joined;
  std::size_t bucket = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    read.bytes_[i] = byte;
    if (i + 1 < head) continue;
    const bool is_first = i + 1 == head;
    const std::string place = "byte " + std::to_string(i) + ": " + std::to_string(byte);
    if (!is_first && byte == 0) return wrong(place + ": must be a count above 0 or a gap");
    const bool is_gap = !is_first && byte >= kGap;
    if (is_gap && i + 1 == bytes.size()) return wrong(place + ": a gap with no count after it");
    bucket += is_first ? byte : (is_gap ? byte - kGap + 1U : 1U);
    if (bucket > buckets - (is_first || is_gap ? 1U : 0U)) {
      return wrong(place + ": beyond bucket " + std::to_string(buckets - 1));
    }
  }
  read.size_ = static_cast<std::uint8_t>(bytes.size());
  return read;
}

}  // namespace bellows::metrics
