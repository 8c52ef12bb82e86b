#include "autoscaler/core/rules/rate_limit.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::autoscaler {

PodCount counted_pods(const ScalingSpec& spec, const Observation& seen) {
  return std::max<PodCount>(1, spec.is_seed ? seen.in_window : seen.ready);
}

PodCount up_limit(const ScalingSpec& spec, const Observation& seen) {
  return whole_pods(spec.max_scale_up_rate * counted_pods(spec, seen),
                    spec.rules.rounding_tolerance);
}

PodCount down_limit(const ScalingSpec& spec, const Observation& seen) {
  if (!seen.is_reachable) return 0;
  return static_cast<PodCount>(std::floor(counted_pods(spec, seen) / spec.max_scale_down_rate));
}

void apply_delay(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                 const DelayWindow& delay, TimePoint now) {
  if (spec.scale_down_delay == Duration::zero() || !seen.is_reachable) return;
  desired.raise_to(delay.max(now, spec.scale_down_delay), Rule::kDelay);
}

void record_undelayed(DelayWindow& delay, const Decision& decision) {
  const Duration duration = decision.spec.scale_down_delay;
  if (duration == Duration::zero()) return delay.clear();
  if (!decision.is_valid || !decision.seen.is_reachable) return;
  delay.record(decision.at, decision.undelayed, duration);
}

}  // namespace bellows::autoscaler
