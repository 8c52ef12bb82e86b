#include "recommender/core/estimator.hpp"

#include <algorithm>

#include "recommender/core/go_arithmetic.hpp"

namespace bellows::recommender {

std::int64_t percentile_with_margin(const Histogram& histogram, Resource resource,
                                    double percentile, double margin, Chain& chain) {
  const double value = histogram.percentile(percentile);
  const std::int64_t base =
      whole_amount(resource == Resource::kCpu ? value * kMillicoresPerCore : value);
  chain.add(Stage::kPercentile, percentile, static_cast<double>(base));
  const std::int64_t with_margin = base + whole_amount(static_cast<double>(base) * margin);
  chain.add(Stage::kMargin, margin, static_cast<double>(with_margin));
  return with_margin;
}

std::int64_t Estimator::estimate(const Histogram& histogram, Resource resource,
                                 Chain& chain) const {
  std::int64_t amount = percentile_with_margin(histogram, resource, percentile, margin, chain);
  if (confidence.exponent != 0) {
    const double factor =
        go_power(1 + confidence.multiplier / confidence.value, confidence.exponent);
    amount = whole_amount(static_cast<double>(amount) * factor);
    chain.add(Stage::kConfidence, factor, static_cast<double>(amount));
  }
  if (amount < minimum) {
    amount = minimum;
    chain.add(Stage::kMinimum, static_cast<double>(minimum), static_cast<double>(amount));
  }
  return amount;
}

Estimators vpa_estimators(const config::HistorySettings& settings, const Aggregate& aggregate,
                          Resource resource, std::int64_t minimum) {
  const bool is_cpu = resource == Resource::kCpu;
  const double confidence = aggregate.confidence(is_cpu ? settings.confidence_interval_cpu
                                                        : settings.confidence_interval_memory);
  const double margin = settings.margin_fraction;
  return {.target = {is_cpu ? settings.target_cpu_percentile : settings.target_memory_percentile,
                     margin,
                     {},
                     minimum},
          .lower = {is_cpu ? settings.lower_bound_cpu_percentile
                           : settings.lower_bound_memory_percentile,
                    margin,
                    {0.001, -2, confidence},
                    minimum},
          .upper = {
              is_cpu ? settings.upper_bound_cpu_percentile : settings.upper_bound_memory_percentile,
              margin,
              {1, 1, confidence},
              minimum}};
}

}  // namespace bellows::recommender
