// Slack against failures, one point per workload and policy.
#pragma once

#include <string>

#include "recommender/score/comparison.hpp"

namespace bellows::recommender::score {

/// An <svg> with its caption. To the left and down is better; whole points are on their workload's
/// Pareto front.
std::string scatter_html(const Comparison& comparison);

}  // namespace bellows::recommender::score
