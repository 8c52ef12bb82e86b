#include "metrics/service_times.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "base/check.hpp"

namespace bellows::metrics {
namespace {

/// The ends of the buckets in seconds, as a table, because std::log() would map 0.2 MB of libm into
/// each queue-proxy.
constexpr std::array<double, kServiceTimeBuckets> ends_of_buckets() {
  constexpr double kFirstEnd = 1e-4;
  constexpr double kRatio = 1.1;
  std::array<double, kServiceTimeBuckets> ends{};
  double end = kFirstEnd;
  for (double& each : ends) {
    each = end;
    end *= kRatio;
  }
  return ends;
}
constexpr auto kEnds = ends_of_buckets();

/// Returns exponent and first three bits of the mantissa of a positive number.
constexpr std::size_t cell_of(double seconds) {
  return static_cast<std::size_t>(std::bit_cast<std::uint64_t>(seconds) >> 49U);
}
constexpr std::size_t kFirstCell = cell_of(kEnds.front());
constexpr std::size_t kCells = cell_of(kEnds.back()) - kFirstCell + 1;

/// By cell, the first bucket that ends above its begin: the bucket of a time is one or two further.
constexpr std::array<std::uint8_t, kCells> buckets_of_cells() {
  std::array<std::uint8_t, kCells> buckets{};
  std::size_t bucket = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const double begin = std::bit_cast<double>(std::uint64_t{kFirstCell + cell} << 49U);
    while (bucket + 1 < kEnds.size() && kEnds[bucket] < begin) ++bucket;
    buckets[cell] = static_cast<std::uint8_t>(bucket);
  }
  return buckets;
}
constexpr auto kBucketOfCell = buckets_of_cells();

}  // namespace

std::size_t service_time_bucket(Duration time) {
  constexpr double kRounding = 1e-9;  // an end belongs to its bucket
  const double seconds = to_seconds(time) * (1 - kRounding);
  if (!(seconds > kEnds.front())) return 0;
  if (seconds >= kEnds.back()) return kEnds.size() - 1;
  std::size_t bucket = kBucketOfCell[cell_of(seconds) - kFirstCell];
  while (bucket + 1 < kEnds.size() && kEnds[bucket] < seconds) ++bucket;
  return bucket;
}

double service_time_seconds(std::size_t bucket) {
  constexpr double kHalfABucket = 1.0488088481701516;  // the root of 1.1
  return kEnds.at(bucket) / kHalfABucket;
}

/// Returns the largest count with four significant bits that is not greater than `count`.
std::uint8_t ServiceTimes::item_of(std::uint32_t count) {
  if (count < 8) return static_cast<std::uint8_t>(count);
  const auto shift = static_cast<std::uint32_t>(std::bit_width(count)) - 4U;
  if (shift >= 15) return kGap - 1;
  return static_cast<std::uint8_t>(((shift + 1U) << 3U) | ((count >> shift) & 7U));
}

ServiceTimes::ServiceTimes(const ServiceTimeCounts& counts) {
  if (const auto made = in_bytes(counts)) {
    *this = *made;
    return;
  }
  for (std::uint8_t joined = 0; joined <= kMostJoined; ++joined) {
    if (const auto made = in_halves(counts, joined)) {
      *this = *made;
      return;
    }
  }
  CHECK(false, "24 groups of 8 buckets fit into kMaxBytes");
}

/// Returns nullopt if it takes more than kMaxBytes.
std::optional<ServiceTimes> ServiceTimes::in_bytes(const ServiceTimeCounts& counts) {
  ServiceTimes made;
  std::size_t next = 0;  // bucket described by the next byte
  std::uint64_t left_over = 0;
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (counts[bucket] == 0) continue;
    if (made.size_ == 0) {
      made.bytes_[made.size_++] = static_cast<std::uint8_t>(bucket);
      next = bucket;
    }
    if (bucket > next) left_over = 0;  // it would become much longer
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

/// Does the same in half bytes, for groups of 2^joined buckets. There is at least one request.
std::optional<ServiceTimes> ServiceTimes::in_halves(const ServiceTimeCounts& all,
                                                    std::uint8_t joined) {
  std::array<std::int64_t, kServiceTimeBuckets> counts{};
  for (std::size_t i = 0; i < all.size(); ++i) counts[i >> joined] += all[i];
  const auto is_some = [](std::int64_t count) { return count > 0; };
  auto begin = std::find_if(counts.begin(), counts.end(), is_some);
  const auto end = std::find_if(counts.rbegin(), counts.rend(), is_some).base();
  constexpr auto kMostHalves = static_cast<std::ptrdiff_t>(2 * (kMaxBytes - kHalvesHead));
  if (end - begin > kMostHalves) {
    // A hundredth of the requests may be shorter than reported.
    const auto first = end - kMostHalves;
    const std::int64_t shorter = std::accumulate(begin, first, std::int64_t{0});
    if (100 * shorter > std::accumulate(begin, end, std::int64_t{0})) return std::nullopt;
    *first += shorter;
    begin = first;
  }
  std::uint8_t scale = 0;
  while (scale<kMostScale&& * std::max_element(begin, end)>(kHalfCounts.back() << scale)) {
    ++scale;
  }
  ServiceTimes made;
  made.bytes_ = {static_cast<std::uint8_t>(kHalves + joined),
                 static_cast<std::uint8_t>(begin - counts.begin()), scale};
  std::int64_t left_over = 0;  // of the previous bucket
  for (auto it = begin; it != end; ++it) {
    const std::int64_t count = *it + left_over;
    std::size_t half = 0;
    while (half + 1 < kHalfCounts.size() &&
           (std::int64_t{kHalfCounts[half + 1]} << scale) <= count) {
      ++half;
    }
    left_over = *it > 0 ? count - (std::int64_t{kHalfCounts[half]} << scale) : 0;
    const std::size_t place = static_cast<std::size_t>(it - begin);
    const auto shifted = static_cast<std::uint8_t>(place % 2 == 0 ? half << 4U : half);
    made.bytes_[kHalvesHead + place / 2] |= shifted;
  }
  made.size_ =
      static_cast<std::uint8_t>(kHalvesHead + static_cast<std::size_t>(end - begin + 1) / 2);
  return made;
}

namespace {

tl::unexpected<Error> wrong(std::string message) {
  return fail(ErrorKind::kMalformed, "times", std::move(message));
}

}  // namespace

Result<ServiceTimes> ServiceTimes::parse_halves(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  const auto joined = static_cast<std::uint8_t>(at(0) - kHalves);
  if (joined > kMostJoined) {
    return wrong("byte 0: " + std::to_string(at(0)) +
                 ": must be a bucket up to 191, or 193 to 196");
  }
  if (bytes.size() <= kHalvesHead) {
    return wrong(std::to_string(bytes.size()) + " bytes; must be 3 and at least one with counts");
  }
  if (at(2) > kMostScale) {
    return wrong("byte 2: " + std::to_string(at(2)) + ": must be at most 24");
  }
  const std::size_t groups = kServiceTimeBuckets >> joined;
  const std::size_t last = bytes.size() - 1;
  const bool is_half = (at(last) & 15U) == 0;
  const std::size_t halves = 2 * (bytes.size() - kHalvesHead) - (is_half ? 1 : 0);
  if (at(1) + halves > groups) {
    return wrong("byte 1: " + std::to_string(at(1)) + ": beyond group " +
                 std::to_string(groups - 1));
  }
  ServiceTimes read;
  std::copy(bytes.begin(), bytes.end(), read.bytes_.begin());
  read.size_ = static_cast<std::uint8_t>(bytes.size());
  return read;
}

Result<ServiceTimes> ServiceTimes::parse(std::string_view bytes) {
  if (bytes.size() > kMaxBytes) {
    return wrong(std::to_string(bytes.size()) + " bytes; at most 36 are read");
  }
  if (!bytes.empty() && static_cast<std::uint8_t>(bytes[0]) >= kHalves) return parse_halves(bytes);
  if (bytes.size() == 1) return wrong("1 bytes; must be a bucket and at least one count");
  ServiceTimes read;
  std::size_t bucket = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    read.bytes_[i] = byte;
    const bool is_first = i == 0;
    const std::string place = "byte " + std::to_string(i) + ": " + std::to_string(byte);
    if (!is_first && byte == 0) return wrong(place + ": must be a count above 0 or a gap");
    const bool is_gap = !is_first && byte >= kGap;
    if (is_gap && i + 1 == bytes.size()) return wrong(place + ": a gap with no count after it");
    bucket += is_first ? byte : (is_gap ? byte - kGap + 1U : 1U);
    if (bucket > kServiceTimeBuckets - (is_first || is_gap ? 1U : 0U)) {
      return wrong(place + ": beyond bucket 191");
    }
  }
  read.size_ = static_cast<std::uint8_t>(bytes.size());
  return read;
}

}  // namespace bellows::metrics
