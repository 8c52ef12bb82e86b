// What of the stats decides, and how its seconds become one number.
#pragma once

#include <cstdint>

namespace bellows::metrics {

enum class Metric : std::uint8_t {
  kConcurrency,  ///< requests in flight
  kRps,          ///< requests that arrived, per second
};

enum class Aggregation : std::uint8_t {
  kLinear,               ///< mean of the seconds
  kWeightedExponential,  ///< mean in which a newer second weighs more than an older one
  kPeak,                 ///< mean of the seconds' maxima, for bursty load
};

struct Measure {
  Metric metric = Metric::kConcurrency;
  Aggregation aggregation = Aggregation::kLinear;

  bool operator==(const Measure&) const = default;
};

/// Weight of the newest of `seconds` under kWeightedExponential; each older one weighs (1 - this)
/// times the next newer. The oldest weighs at most 1e-4 of what the newest does, or the newest
/// weighs 0.2 (knative.md 1.3).
double newest_weight(std::int64_t seconds);

}  // namespace bellows::metrics
