#include "autoscaler/core/rules/scale_down_smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

/// In replicas: a smaller excess is dropped.
constexpr double kMin = 0.1;
/// One of few replicas is a large part of them, and each request that waits for it a large part of
/// the requests: one replica decays eleven times, ten replicas twice as slowly as many.
constexpr double kFew = 10;

double seconds_to_shrink(const ScalingSpec& spec, double level) {
  return to_seconds(spec.rules.scale_down_smoothing_time) * (1 + kFew / std::max(1.0, level));
}

}  // namespace

ScaleDownSmoothing smoothed_scale_down(const ScaleDownSmoothing& before, const ScalingSpec& spec,
                                       double amount, TimePoint now) {
  if (spec.rules.scale_down_smoothing == config::Smoothing::kNone || amount <= 0)
    return {.level = amount, .at = now};
  if (before.level <= amount) return {.level = amount, .at = now};  // no excess
  const double passed = to_seconds(std::max(Duration::zero(), now - before.at));
  const double kept = std::exp(-passed / seconds_to_shrink(spec, before.level));
  const double sunk = amount + (before.level - amount) * kept;
  return {.level = sunk - amount < kMin ? amount : sunk, .at = now};
}

}  // namespace bellows::autoscaler
