// Slack against failures, one point per workload and policy.
#pragma once

#include <string>

#include "recommender/score/comparison.hpp"

namespace bellows::recommender::score {

/// Returns an <svg> with its caption. Points to the left and below are better; filled points are on
/// the Pareto front of their workload.
std::string scatter_html(const Comparison& comparison);

}  // namespace bellows::recommender::score
