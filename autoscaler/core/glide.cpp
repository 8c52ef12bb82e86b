#include "autoscaler/core/glide.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {
namespace {

/// Of a replica: a smaller surplus holds none.
constexpr double kLeast = 0.1;

}  // namespace

Glide next_glide(const Glide& before, const ScalingSpec& spec, double amount, TimePoint now) {
  if (spec.rules.fall == config::Fall::kAtOnce || amount <= 0) return {.level = amount, .at = now};
  if (before.level <= amount) return {.level = amount, .at = now};  // there is no surplus
  const double passed = to_seconds(std::max(Duration::zero(), now - before.at));
  const double kept = std::exp(-passed / to_seconds(spec.rules.glide_time));
  const double sunk = amount + (before.level - amount) * kept;
  return {.level = sunk - amount < kLeast ? amount : sunk, .at = now};
}

}  // namespace bellows::autoscaler
