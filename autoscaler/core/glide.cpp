#include "autoscaler/core/glide.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

/// Of a replica: a smaller surplus holds none.
constexpr double kMin = 0.1;
/// How much slower two replicas or fewer are given back than many.
constexpr double kSlowestFall = 30;

/// Of few replicas, each is a large part of what there is, and costs the same as one of many.
/// By the level, not by what is asked for: more load must not fall faster.
double seconds_to_fall(const ScalingSpec& spec, double level) {
  const double few = std::min(1.0, 2 / level);
  return to_seconds(spec.rules.scale_down_smoothing_time) * (1 + kSlowestFall * few * few * few);
}

}  // namespace

Glide next_glide(const Glide& before, const ScalingSpec& spec, double amount, TimePoint now) {
  if (spec.rules.scale_down_smoothing == config::Smoothing::kNone || amount <= 0)
    return {.level = amount, .at = now};
  if (before.level <= amount) return {.level = amount, .at = now};  // there is no surplus
  const double passed = to_seconds(std::max(Duration::zero(), now - before.at));
  const double kept = std::exp(-passed / seconds_to_fall(spec, before.level));
  const double sunk = amount + (before.level - amount) * kept;
  return {.level = sunk - amount < kMin ? amount : sunk, .at = now};
}

}  // namespace bellows::autoscaler
