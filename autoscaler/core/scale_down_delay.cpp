#include "autoscaler/core/scale_down_delay.hpp"

namespace bellows::autoscaler {

void apply_delay(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                 const DelayWindow& delay, TimePoint now) {
  if (spec.scale_down_delay == Duration::zero() || !seen.is_reachable) return;
  answer.at_least(delay.max(now, spec.scale_down_delay), Rule::kDelay);
}

void record_undelayed(DelayWindow& delay, const Decision& decision) {
  const Duration duration = decision.spec.scale_down_delay;
  if (duration == Duration::zero()) return delay.clear();
  if (!decision.is_valid || !decision.seen.is_reachable) return;
  delay.record(decision.at, decision.undelayed, duration);
}

}  // namespace bellows::autoscaler
