#include "autoscaler/core/rules/scale_down_delay.hpp"

namespace bellows::autoscaler {

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
