#include "autoscaler/core/rules/scale_down_smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

/// In replicas: a smaller excess is dropped.
constexpr double kMin = 0.1;

}  // namespace

ScaleDownSmoothing smoothed_scale_down(const ScaleDownSmoothing& before, const ScalingSpec& spec,
                                       double amount, TimePoint now) {
  if (spec.rules.scale_down_smoothing == config::Smoothing::kNone || amount <= 0)
    return {.level = amount, .at = now};
  if (before.level <= amount) return {.level = amount, .at = now};  // no excess
  const double passed = to_seconds(std::max(Duration::zero(), now - before.at));
  const double kept = std::exp(-passed / to_seconds(spec.rules.scale_down_smoothing_time));
  const double sunk = amount + (before.level - amount) * kept;
  return {.level = sunk - amount < kMin ? amount : sunk, .at = now};
}

}  // namespace bellows::autoscaler
