// The output of `recommender explain` about histograms and bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recommender/core/aggregate.hpp"
#include "recommender/core/recommendation.hpp"

namespace bellows::recommender {

/// Appends the number of CPU samples and their time range.
void describe_samples(const Aggregate& aggregate, std::vector<std::string>& lines);

/// Appends the buckets with at least 1 % of the weight, with their ends and the cumulative weight.
void describe_histogram(const Histogram& histogram, Resource resource,
                        std::vector<std::string>& lines);

/// Appends both for one resource; the samples only for CPU.
void describe_history(const Aggregate& known, Resource resource, std::vector<std::string>& lines);

/// Returns the chain of a bound that is `factor` times the target.
Chain chain_of_bound(std::int64_t target, double factor, std::int64_t bound);

}  // namespace bellows::recommender
