#include "autoscaler/core/rules/panic.hpp"

#include "autoscaler/core/rules/rate_limit.hpp"

namespace bellows::autoscaler {

double panic_ratio(const ScalingSpec& spec, const Observation& seen) {
  const PodCount pods = whole_pods(seen.panic.total / spec.target, spec.rules.rounding_tolerance);
  return static_cast<double>(pods) / counted_pods(spec, seen);
}

void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, const Observation& seen,
                          TimePoint now) {
  const bool is_over = panic_ratio(spec, seen) >= spec.panic_threshold;
  if (memory.panic && is_over) memory.panic->last_over = now;
  enter_or_leave_panic(memory, spec, is_over, now);
}

void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, bool is_over, TimePoint now) {
  if (memory.panic && now - memory.panic->last_over > spec.stable_window) {
    memory.panic.reset();
    memory.panic_max = 0;
  }
  if (!memory.panic && is_over) memory.panic = Panic{.since = now, .last_over = now};
}

void hold_in_panic(DesiredReplicas& desired, Memory& memory) {
  if (!memory.panic) return;
  desired.raise_to(memory.panic_max, Rule::kPanicHold);
  memory.panic_max = desired.pods;
}

}  // namespace bellows::autoscaler
