// What of the load counts, and how its seconds become one number.
#pragma once

#include <cstdint>

namespace bellows::config {

/// What the replicas are counted against.
enum class Metric : std::uint8_t {
  kConcurrency,  ///< requests in flight
  kRps,          ///< requests that arrived, per second
};

/// How the seconds of a window become one number.
enum class Aggregation : std::uint8_t {
  kLinear,               ///< their mean
  kWeightedExponential,  ///< a mean in which a newer second weighs more than an older one
  kPeak,                 ///< the mean of the greatest value within each, for bursty load
};

}  // namespace bellows::config
