// Two who know the future: what a recommender could have had at best.
#pragma once

#include "recommender/score/scorecard.hpp"

namespace bellows::recommender::score {

/// A bound is no rival: its changes cost nothing.
inline constexpr Prices kOraclePrices{.change_per_day = 0};

/// Each hour begins with the greatest demand of that hour as request.
inline constexpr Duration kOracleWindow = std::chrono::hours(1);
Track perfect_next_window(const Workload& workload, const WorldSettings& settings);

/// The one request for the whole length that costs least, tried at quantiles of the demand.
Track best_constant(const Workload& workload, const WorldSettings& settings);

}  // namespace bellows::recommender::score
