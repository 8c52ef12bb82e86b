#include "autoscaler/core/rules/scale_down_smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

/// In replicas: a smaller excess is dropped.
constexpr double kMin = 0.1;
/// How much more slowly the last two replicas are removed than many.
constexpr double kSlowestFall = 30;

/// Removes few replicas more slowly: each is a large part of the capacity and costs the same as one
/// of many. Depends on the level, not on the demand: more load must not decay faster.
double seconds_to_fall(const ScalingSpec& spec, double level) {
  const double few = std::min(1.0, 2 / level);
  return to_seconds(spec.rules.scale_down_smoothing_time) * (1 + kSlowestFall * few * few * few);
}

}  // namespace

ScaleDownSmoothing smoothed_scale_down(const ScaleDownSmoothing& before, const ScalingSpec& spec,
                                       double amount, TimePoint now) {
  if (spec.rules.scale_down_smoothing == config::Smoothing::kNone || amount <= 0)
    return {.level = amount, .at = now};
  if (before.level <= amount) return {.level = amount, .at = now};  // no excess
  const double passed = to_seconds(std::max(Duration::zero(), now - before.at));
  const double kept = std::exp(-passed / seconds_to_fall(spec, before.level));
  const double sunk = amount + (before.level - amount) * kept;
  return {.level = sunk - amount < kMin ? amount : sunk, .at = now};
}

}  // namespace bellows::autoscaler
