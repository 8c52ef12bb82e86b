#include "autoscaler/triggers/fixed_targets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autoscaler/triggers/rooms.hpp"

namespace bellows::autoscaler::triggers {
namespace {

// Shares as whole billionths: 160 / (1 - 0.5) and 0.7 of 100 are exact.
constexpr std::int64_t kUnit = 1'000'000'000;

std::int64_t billionths(double share) {
  return std::llround(share * static_cast<double>(kUnit));
}

}  // namespace

std::int64_t divide_up(std::int64_t value, std::int64_t by) {
  return value >= 0 ? (value + by - 1) / by : -(-value / by);
}

PodCount buffered(PodCount occupied, PodCount amount) {
  return occupied + amount;
}

PodCount with_free_share(PodCount matches, double free, PodCount per_replica) {
  const std::int64_t used = std::max<std::int64_t>(1, kUnit - billionths(free));
  const std::int64_t places = divide_up(std::int64_t{matches} * kUnit, used);
  return static_cast<PodCount>(
      std::min<std::int64_t>(divide_up(places, per_replica), kMaxReplicas));
}

bool may_scale_down(PodCount desired, double free, PodCount free_places, double threshold,
                    PodCount per_replica) {
  const std::int64_t wanted =
      divide_up(std::int64_t{desired} * per_replica * billionths(free), kUnit);
  return wanted * kUnit <= billionths(threshold) * std::int64_t{free_places};
}

}  // namespace bellows::autoscaler::triggers
