#include "autoscaler/core/load_answer.hpp"

#include <algorithm>
#include <limits>

#include "autoscaler/core/pods_for.hpp"

namespace bellows::autoscaler {
namespace {

/// Replicas that would bring `usage`, a mean over the ready ones, to its target.
PodCount pods_for_usage(const ScalingSpec& spec, const Observation& seen,
                        const std::optional<double>& usage, double target) {
  if (!usage || target <= 0) return 0;
  return whole_pods(seen.ready * *usage / target, spec.rules.rounding_tolerance);
}

void add_buffer(Answer& answer, const ScalingSpec& spec) {
  if (answer.pods == 0 || spec.rules.buffer == 0) return;
  constexpr PodCount kMax = std::numeric_limits<PodCount>::max();
  const PodCount room = kMax - answer.pods;
  answer = {answer.pods + std::min(room, spec.rules.buffer), Rule::kBuffer};
}

}  // namespace

Answer load_answer(const Outcome& weighed, const ScalingSpec& spec, const Memory& memory) {
  const Observation& seen = weighed.seen;
  Answer answer{weighed.stable_answer, Rule::kTarget};
  answer.at_least(weighed.rise_answer, Rule::kRise);
  answer.at_least(weighed.ahead_answer, Rule::kLookAhead);
  if (memory.panic) {
    const bool is_alone = spec.rules.panic_decides == config::PanicDecides::kPanicWindow;
    if (is_alone) answer = {weighed.panic_answer, Rule::kPanicTarget};
    answer.at_least(weighed.panic_answer, Rule::kPanicTarget);
  }
  answer.at_least(pods_for_usage(spec, seen, seen.cpu, spec.cpu_target), Rule::kCpu);
  answer.at_least(pods_for_usage(spec, seen, seen.memory, spec.memory_target), Rule::kMemory);
  add_buffer(answer, spec);
  return answer;
}

PodCount pods_for_waiting(const ScalingSpec& spec, const Observation& seen) {
  if (seen.waiting == 0) return 0;
  const bool is_one_enough = spec.rules.first_replicas == config::FirstReplicas::kOne;
  if (seen.observed > 0 || is_one_enough) return 1;
  const double amount = static_cast<double>(seen.waiting) / spec.target;
  return std::max<PodCount>(1, whole_pods(amount, spec.rules.rounding_tolerance));
}

Answer ask_of(const Decision& decision) {
  Answer answer = load_answer(decision, decision.spec, decision.after);
  answer.at_least(pods_for_waiting(decision.spec, decision.seen), Rule::kWaiting);
  return answer;
}

void activate(Answer& answer, const Outcome& weighed, const ScalingSpec& spec,
              const Memory& memory) {
  const bool has_load = weighed.stable_answer > 0 || weighed.seen.waiting > 0 ||
                        (memory.panic && weighed.panic_answer > 0);
  if (has_load) answer.at_least(spec.activation_scale, Rule::kActivationScale);
}

}  // namespace bellows::autoscaler
