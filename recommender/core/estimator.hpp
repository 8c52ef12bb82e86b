// Computes a size from a histogram: percentile, margin, confidence, minimum; truncated to whole
// units at every stage as in VPA.
#pragma once

#include "config/recommender_settings.hpp"
#include "recommender/core/aggregate.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::recommender {

/// The factor (1 + multiplier / confidence)^exponent of a bound; exponent 0: no factor.
struct Confidence {
  double multiplier = 0;
  int exponent = 0;
  double value = 0;
};

/// Returns the percentile with margin, in millicores or bytes; adds its steps to `chain`.
std::int64_t percentile_with_margin(const Histogram& histogram, Resource resource,
                                    double percentile, double margin, Chain& chain);

/// The whole chain. Source: VPA, logic/estimator.go.
struct Estimator {
  double percentile = 0.9;
  double margin = 0.15;
  Confidence confidence;
  std::int64_t minimum = 0;

  std::int64_t estimate(const Histogram& histogram, Resource resource, Chain& chain) const;
};

/// VPA's three estimators of one resource, for the history of a container.
struct Estimators {
  Estimator target;
  Estimator lower;
  Estimator upper;
};
Estimators vpa_estimators(const config::HistorySettings& settings, const Aggregate& aggregate,
                          Resource resource, std::int64_t minimum);

}  // namespace bellows::recommender
