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
/// Whether the weights of kWeightedExponential are made to sum up to one; raw ones (Knative) tell
/// too little while a window fills.
enum class WeightedMean : std::uint8_t { kNormalized, kRaw };
/// Of the other means; six decimals (Knative) are rounded half away from zero.
enum class AverageRounding : std::uint8_t { kNone, kSixDecimals };

}  // namespace bellows::config
