#include "autoscaler/core/rules/scale_down_smoothing.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

/// In replicas: a smaller excess is nothing.
constexpr double kNothing = 1e-9;
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
  double sunk = before.level;
  // In steps, because it slows down on the way: else a high level would pass a low one.
  for (Duration left = now - before.at; left > Duration::zero() && sunk - amount > kNothing;
       left -= kEvaluationPeriod) {
    const double passed = to_seconds(std::min<Duration>(left, kEvaluationPeriod));
    sunk = amount + (sunk - amount) * std::exp(-passed / seconds_to_shrink(spec, sunk));
  }
  return {.level = sunk, .at = now};
}

}  // namespace bellows::autoscaler
