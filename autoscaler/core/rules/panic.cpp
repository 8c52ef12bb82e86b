#include "autoscaler/core/rules/panic.hpp"

#include <algorithm>

#include "autoscaler/core/load/counted_pods.hpp"
#include "autoscaler/core/load/pods_for.hpp"

namespace bellows::autoscaler {
namespace {

double serving_pods(const ScalingSpec& spec, const Observation& seen) {
  PodCount pods = counted_pods(spec, seen);
  if (spec.rules.pod_count == config::CountedPods::kObserved) {
    pods = std::max<PodCount>(1, seen.observed + seen.not_reporting);
  }
  return pods;
}

bool is_smoothed(const ScalingSpec& spec) {
  return spec.rules.scale_down_smoothing == config::Smoothing::kExponential;
}

bool is_over_since_long(const Panic& panic, const ScalingSpec& spec, TimePoint now) {
  return now - panic.last_over > panic_hold(spec);
}

void leave(Memory& memory) {
  memory.panic.reset();
  memory.panic_max = 0;
}

void enter(Memory& memory, const ScalingSpec& spec, const Observation& seen, TimePoint now) {
  memory.panic = Panic{.since = now, .last_over = now};
  if (!is_smoothed(spec)) return;
  memory.panic_max = std::max({memory.panic_max, memory.replicas, seen.requested});
}

}  // namespace

Duration panic_hold(const ScalingSpec& spec) {
  constexpr double kShare = 0.6;
  return is_smoothed(spec) ? from_seconds(kShare * to_seconds(spec.stable_window))
                           : spec.stable_window;
}

double panic_ratio(const ScalingSpec& spec, const Observation& seen) {
  switch (spec.rules.panic_ratio) {
    case config::PanicRatio::kExact:
      return seen.panic.total / (serving_pods(spec, seen) * spec.target);
    case config::PanicRatio::kRounded:
      return pods_for(spec, seen, seen.panic) / serving_pods(spec, seen);
    case config::PanicRatio::kPerPod:
      return seen.panic.per_pod / spec.target;
  }
  return 0;
}

void enter_or_leave_panic(Memory& memory, const ScalingSpec& spec, const Observation& seen,
                          TimePoint now) {
  const bool does_extend = spec.rules.panic_extends == config::PanicExtends::kWhileOver;
  const double exit = memory.panic ? spec.rules.panic_exit_percentage / 100 : 1;
  const bool is_over = panic_ratio(spec, seen) >= spec.panic_threshold * exit;
  if (memory.panic && is_over && does_extend) memory.panic->last_over = now;
  if (memory.panic && is_over_since_long(*memory.panic, spec, now)) leave(memory);
  if (!memory.panic && is_over) enter(memory, spec, seen, now);
}

void hold_in_panic(DesiredReplicas& desired, Memory& memory, const ScalingSpec& spec,
                   TimePoint now) {
  if (!memory.panic) return;
  const bool is_increase = desired.pods > memory.panic_max;
  const bool does_extend = spec.rules.panic_extends == config::PanicExtends::kOnIncrease;
  if (is_increase && does_extend) memory.panic->last_over = now;
  desired.raise_to(memory.panic_max, Rule::kPanicHold);
  memory.panic_max = desired.pods;
}

}  // namespace bellows::autoscaler
