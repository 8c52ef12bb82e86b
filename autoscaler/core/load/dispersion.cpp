#include "autoscaler/core/load/dispersion.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {

LoadSpread next_spread(const LoadSpread& before, const Observation& seen, double most_room) {
  constexpr double kWeight = 1.0 / 128;  // about four minutes of decisions
  const double load = seen.stable.total;
  if (load <= 0 || seen.not_reporting > 0) return before;
  const double difference = std::min(std::abs(seen.newest - load), most_room);
  return {
      .squares = static_cast<float>((1 - kWeight) * before.squares + difference * difference),
      .loads = static_cast<float>((1 - kWeight) * before.loads + load),
  };
}

double dispersion(const LoadSpread& spread) {
  return spread.loads > 0 ? std::max(1.0, static_cast<double>(spread.squares) / spread.loads) : 1;
}

}  // namespace bellows::autoscaler
