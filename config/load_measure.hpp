// The load metric, and the aggregation of its seconds.
#pragma once

#include <cstdint>

namespace bellows::config {

/// The load that decides the number of replicas.
enum class Metric : std::uint8_t {
  kConcurrency,  ///< requests in flight
  kRps,          ///< requests that arrived, per second
};

/// The aggregation of the seconds of a window.
enum class Aggregation : std::uint8_t {
  kLinear,               ///< their mean
  kWeightedExponential,  ///< a mean with higher weights for newer seconds
  kPeak,                 ///< the mean of the peak within each second, for bursty load
};
/// Selects if the weights of kWeightedExponential are normalized to a sum of one. Raw weights
/// (Knative) underestimate the load while a window fills.
enum class WeightedMean : std::uint8_t { kNormalized, kRaw };
/// Rounding of the other means. Six decimals (Knative): half away from zero.
enum class AverageRounding : std::uint8_t { kNone, kSixDecimals };

}  // namespace bellows::config
