// Selects which number of the stats decides, and how its seconds become one number.
#pragma once

#include <cstdint>

#include "config/load_measure.hpp"

namespace bellows::metrics {

using config::Aggregation;
using config::AverageRounding;
using config::Metric;
using config::WeightedMean;

struct Measure {
  Metric metric = Metric::kConcurrency;
  Aggregation aggregation = Aggregation::kLinear;
  WeightedMean weighted_mean = WeightedMean::kNormalized;
  AverageRounding rounding = AverageRounding::kNone;

  bool operator==(const Measure&) const = default;
};

/// Returns the weight of the newest of `seconds` under kWeightedExponential; each older one has (1
/// - this) times the weight of the next newer. The oldest has at most 1e-4 of the weight of the
/// newest, or the newest has 0.2 (knative.md 1.3).
double newest_weight(std::int64_t seconds);

double rounded(double mean, AverageRounding rounding);

}  // namespace bellows::metrics
