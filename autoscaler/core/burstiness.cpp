#include "autoscaler/core/burstiness.hpp"

#include <algorithm>

namespace bellows::autoscaler {
namespace {

/// Of a new sample: the last seventy or so decide, about seven minutes at a panic window of 6 s.
constexpr double kWeight = 0.015;
/// A flash crowd is no burstiness: one sample moves the index by a quarter of itself at most.
constexpr double kMostPerSample = 16;
constexpr double kMostIndex = 6;
constexpr double kShareInService = 0.6;

bool knows_rates(const ScalingSpec& spec, const Observation& seen) {
  const double panic_seconds = to_seconds(spec.panic_window);
  return seen.stable_rate > 0 && seen.panic.covered_seconds >= panic_seconds &&
         seen.stable.covered_seconds >= 2 * panic_seconds;
}

}  // namespace

Burstiness next_burstiness(const Burstiness& before, const ScalingSpec& spec,
                           const Observation& seen, TimePoint now) {
  Burstiness next = before;
  if (!spec.rules.learn_burstiness || !knows_rates(spec, seen)) {
    next.last_rate = -1;
    return next;
  }
  const Duration passed = now - before.last_at;
  if (before.last_rate >= 0 && passed < spec.panic_window) return next;
  const bool follows = before.last_rate >= 0 && passed < 2 * spec.panic_window;
  if (follows) {
    const double step = seen.panic_rate - before.last_rate;
    const double requests = seen.stable_rate / to_seconds(spec.panic_window);
    const double sample = std::min(step * step / 2 / requests, kMostPerSample * before.index);
    const double index = before.index + kWeight * (sample - before.index);
    next.index = static_cast<float>(std::max(1.0, index));
  }
  next.last_rate = static_cast<float>(seen.panic_rate);
  next.last_at = now;
  return next;
}

double spread_index(const Burstiness& burstiness) {
  return 1 + kShareInService * (std::clamp<double>(burstiness.index, 1, kMostIndex) - 1);
}

}  // namespace bellows::autoscaler
