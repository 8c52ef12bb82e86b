#include "autoscaler/core/rules/seed.hpp"

#include "autoscaler/core/rules/panic.hpp"
#include "autoscaler/core/rules/rate_limit.hpp"

namespace bellows::autoscaler::seed {
namespace {

double amount(const ScalingSpec& spec, const Observation& seen, const WindowLoad& load) {
  return load.per_pod / spec.target * counted_pods(spec, seen);
}

}  // namespace

double panic_ratio(const ScalingSpec& spec, const Observation& seen) {
  return seen.panic.per_pod / spec.target;
}

void evaluate(Decision& decision) {
  const ScalingSpec& spec = decision.spec;
  const Observation& seen = decision.seen;
  const bool is_over = seed::panic_ratio(spec, seen) >= spec.panic_threshold;
  enter_or_leave_panic(decision.after, spec, is_over, decision.at);
  const double tolerance = spec.rules.rounding_tolerance;
  decision.amount = amount(spec, seen, seen.stable);
  decision.stable_demand = whole_pods(decision.amount, tolerance);
  decision.panic_demand = whole_pods(amount(spec, seen, seen.panic), tolerance);
}

DesiredReplicas demand(const Outcome& weighed, const Memory& memory) {
  if (memory.panic) return {weighed.panic_demand, Rule::kPanicTarget};
  return {weighed.stable_demand, Rule::kTarget};
}

void hold_in_panic(DesiredReplicas& desired, Memory& memory, TimePoint now) {
  if (memory.panic && desired.pods > memory.panic_max) memory.panic->last_over = now;
  autoscaler::hold_in_panic(desired, memory);
}

}  // namespace bellows::autoscaler::seed
