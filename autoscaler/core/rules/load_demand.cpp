#include "autoscaler/core/rules/load_demand.hpp"

#include <algorithm>
#include <limits>

#include "autoscaler/core/load/backlog.hpp"
#include "autoscaler/core/load/pods_for.hpp"

namespace bellows::autoscaler {
namespace {

/// Replicas that bring `usage`, a mean over the ready ones, to its target.
PodCount pods_for_usage(const ScalingSpec& spec, const Observation& seen,
                        const std::optional<double>& usage, double target) {
  if (!usage || target <= 0) return 0;
  return whole_pods(seen.ready * *usage / target, spec.rules.rounding_tolerance);
}

void add_buffer(DesiredReplicas& desired, const ScalingSpec& spec) {
  if (desired.pods == 0 || spec.rules.buffer == 0) return;
  constexpr PodCount kMax = std::numeric_limits<PodCount>::max();
  const PodCount room = kMax - desired.pods;
  desired = {desired.pods + std::min(room, spec.rules.buffer), Rule::kBuffer};
}

}  // namespace

DesiredReplicas load_demand(const Outcome& weighed, const ScalingSpec& spec, const Memory& memory) {
  const Observation& seen = weighed.seen;
  DesiredReplicas desired{weighed.stable_demand, Rule::kTarget};
  desired.raise_to(weighed.early_demand, Rule::kEarlyScaleUp);
  desired.raise_to(weighed.lasting_demand, Rule::kLasting);
  desired.raise_to(weighed.look_ahead_demand, Rule::kLookAhead);
  if (memory.panic) {
    const bool is_alone = spec.rules.panic_decides == config::PanicDecides::kPanicWindow;
    if (is_alone) desired = {weighed.panic_demand, Rule::kPanicTarget};
    desired.raise_to(weighed.panic_demand, Rule::kPanicTarget);
  }
  desired.raise_to(pods_for_usage(spec, seen, seen.cpu, spec.cpu_target), Rule::kCpu);
  desired.raise_to(pods_for_usage(spec, seen, seen.memory, spec.memory_target), Rule::kMemory);
  add_buffer(desired, spec);
  return desired;
}

PodCount pods_for_waiting(const ScalingSpec& spec, const Observation& seen,
                          double service_seconds) {
  if (seen.waiting == 0) return 0;
  const bool is_one_enough = spec.rules.first_replicas == config::FirstReplicas::kOne;
  if (seen.observed > 0 || is_one_enough) return 1;
  const double amount = static_cast<double>(seen.waiting) *
                        share_of_waiting(spec, seen, service_seconds) / spec.target;
  return std::max<PodCount>(1, whole_pods(amount, spec.rules.rounding_tolerance));
}

DesiredReplicas demand_of(const Decision& decision) {
  DesiredReplicas desired = load_demand(decision, decision.spec, decision.after);
  desired.raise_to(pods_for_waiting(decision.spec, decision.seen, decision.after.service_seconds),
                   Rule::kWaiting);
  return desired;
}

void activate(DesiredReplicas& desired, const Outcome& weighed, const ScalingSpec& spec,
              const Memory& memory) {
  const bool has_load = weighed.stable_demand > 0 || weighed.seen.waiting > 0 ||
                        (memory.panic && weighed.panic_demand > 0);
  if (has_load) desired.raise_to(spec.activation_scale, Rule::kActivationScale);
}

}  // namespace bellows::autoscaler
