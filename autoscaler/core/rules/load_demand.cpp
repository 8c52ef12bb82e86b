#include "autoscaler/core/rules/load_demand.hpp"

#include <algorithm>

#include "autoscaler/core/rules/seed.hpp"

namespace bellows::autoscaler {
namespace {

DesiredReplicas demand_of_windows(const Outcome& weighed, const Memory& memory) {
  DesiredReplicas desired{weighed.stable_demand, Rule::kTarget};
  desired.raise_to(weighed.early_demand, Rule::kEarlyScaleUp);
  if (memory.panic) desired.raise_to(weighed.panic_demand, Rule::kPanicTarget);
  return desired;
}

}  // namespace

PodCount pods_for_usage(const ScalingSpec& spec, const Observation& seen,
                        const std::optional<double>& usage, double target) {
  if (!usage || target <= 0) return 0;
  return whole_pods(seen.ready * *usage / target, spec.rules.rounding_tolerance);
}

DesiredReplicas load_demand(const Outcome& weighed, const ScalingSpec& spec, const Memory& memory) {
  const Observation& seen = weighed.seen;
  DesiredReplicas desired =
      spec.is_seed ? seed::demand(weighed, memory) : demand_of_windows(weighed, memory);
  desired.raise_to(pods_for_usage(spec, seen, seen.cpu, spec.cpu_target), Rule::kUsage);
  desired.raise_to(pods_for_usage(spec, seen, seen.memory, spec.memory_target), Rule::kUsage);
  return desired;
}

PodCount pods_for_waiting(const ScalingSpec& spec, const Observation& seen) {
  if (seen.waiting == 0) return 0;
  const bool is_one_enough = spec.rules.first_replicas == config::FirstReplicas::kOne;
  if (seen.observed > 0 || is_one_enough) return 1;
  const double amount = static_cast<double>(seen.waiting) / spec.target;
  return std::max<PodCount>(1, whole_pods(amount, spec.rules.rounding_tolerance));
}

DesiredReplicas demand_of(const Decision& decision) {
  DesiredReplicas desired = load_demand(decision, decision.spec, decision.after);
  desired.raise_to(pods_for_waiting(decision.spec, decision.seen), Rule::kWaiting);
  return desired;
}

void activate(DesiredReplicas& desired, const Outcome& weighed, const ScalingSpec& spec,
              const Memory& memory) {
  const bool has_load = weighed.stable_demand > 0 || weighed.seen.waiting > 0 ||
                        (memory.panic && weighed.panic_demand > 0);
  if (has_load) desired.raise_to(spec.activation_scale, Rule::kActivationScale);
}

}  // namespace bellows::autoscaler
