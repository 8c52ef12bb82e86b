// What `recommender explain` prints about histograms and estimators.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recommender/core/estimator.hpp"

namespace bellows::recommender {

/// How many CPU samples there are, and over which time.
void describe_samples(const Aggregate& aggregate, std::vector<std::string>& lines);

/// The buckets that hold at least 1 % of the weight, with their ends and the running sum.
void describe_histogram(const Histogram& histogram, Resource resource,
                        std::vector<std::string>& lines);

/// One chain: "target: percentile 0.9 -> 110m, margin 0.15 -> 126m".
void describe_estimator(std::string_view what, const Estimator& estimator,
                        const Histogram& histogram, Resource resource,
                        std::vector<std::string>& lines);

}  // namespace bellows::recommender
