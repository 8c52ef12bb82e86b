// Two oracles that know the future: bounds for any recommender.
#pragma once

#include "recommender/score/scorecard.hpp"

namespace bellows::recommender::score {

/// Changes of an oracle cost nothing.
inline constexpr Prices kOraclePrices{.change_per_day = 0};

/// Window of the oracle: the request of each hour is the maximum demand of that hour.
inline constexpr Duration kOracleWindow = std::chrono::hours(1);
Timeline perfect_next_window(const Workload& workload, const SimulationSettings& settings);

/// Returns the constant request with the lowest cost among quantiles of the demand.
Timeline best_constant(const Workload& workload, const SimulationSettings& settings);

}  // namespace bellows::recommender::score
