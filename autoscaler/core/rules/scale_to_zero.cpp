#include "autoscaler/core/rules/scale_to_zero.hpp"

#include <algorithm>

#include "autoscaler/core/rules/unknown_load.hpp"

namespace bellows::autoscaler {
namespace {

/// The requested number counts, not the listed one: a leaving replica may stay listed for a while.
bool is_at_zero(const Observation& seen) {
  const bool has_load = seen.stable.total > 0 || seen.panic.total > 0 || seen.waiting > 0;
  return seen.requested == 0 && !has_load;
}

DesiredReplicas while_activating(const ScalingSpec& spec, Duration lasted) {
  if (lasted > start_timeout(spec)) return {0, Rule::kToZero};
  return {1, Rule::kLastReplica};
}

/// The grace period is needed only until the network has switched to the activators; if they have
/// been in the path for as long already there is no wait.
DesiredReplicas while_inactive(const ScalingSpec& spec, const Observation& seen,
                               const Memory& memory, TimePoint now) {
  const Duration grace = spec.scale_to_zero_grace_period;
  const Duration retention = seen.is_reachable ? spec.pod_retention : Duration::zero();
  const Duration lasted = now - memory.activity.since;
  if (is_bypassed(spec, seen)) return {1, Rule::kGrace};
  if (lasted >= std::max(grace, retention)) return {0, Rule::kToZero};
  if (lasted < retention) return {1, Rule::kGrace};
  const bool is_proxied = memory.proxying_since && now - *memory.proxying_since >= grace;
  if (is_proxied) return {0, Rule::kToZero};
  return {1, Rule::kGrace};
}

DesiredReplicas judge_zero(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                           TimePoint now) {
  const Duration lasted = now - memory.activity.since;
  const bool is_held = spec.rules.no_data == config::NoData::kHold;
  if (is_held && is_unsure(spec, memory, knows(seen, spec.stable_window), now)) {
    return {1, Rule::kNoData};
  }
  switch (memory.activity.state) {
    case Serving::kActivating:
      return while_activating(spec, lasted);
    case Serving::kActive:
      if (lasted < spec.stable_window) return {1, Rule::kLastReplica};
      return {1, Rule::kGrace};
    case Serving::kInactive:
      return while_inactive(spec, seen, memory, now);
  }
  return {0, Rule::kToZero};
}

}  // namespace

bool is_bypassed(const ScalingSpec& spec, const Observation& seen) {
  const bool can_ask = spec.target_burst_capacity != -1;
  return can_ask && !seen.does_activator_answer;
}

void run_idle_clock(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                    const Memory& memory, TimePoint now) {
  if (spec.rules.keep_alive != config::KeepAlive::kConstant || is_at_zero(seen)) return;
  if (now - memory.last_load >= spec.rules.idle_clock) {
    desired = {0, Rule::kToZero};
  } else {
    desired.raise_to(1, Rule::kLastReplica);
  }
}

void keep_last_replica(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                       const Memory& memory, TimePoint now) {
  if (desired.pods > 0) return;
  if (is_at_zero(seen)) {
    const bool is_new = !memory.is_initialised && spec.initial_scale > 0 && seen.is_reachable;
    desired = is_new ? DesiredReplicas{1, Rule::kInitialScale} : DesiredReplicas{0, Rule::kAtZero};
  } else if (spec.rules.keep_alive == config::KeepAlive::kWindow) {
    desired = judge_zero(spec, seen, memory, now);
  }
}

PodCount replicas_by_load(const DesiredReplicas& desired) {
  switch (desired.rule) {
    case Rule::kNoData:
    case Rule::kPaused:
      return -1;
    case Rule::kGrace:
      return 0;
    default:
      return desired.pods;
  }
}

// With keep-alive window, zero is final only after a time as inactive, unless the revision was
// activating until this decision.
bool is_start_given_up(const Decision& decision) {
  const bool is_by_window = decision.spec.rules.keep_alive == config::KeepAlive::kWindow;
  return is_by_window && decision.rule == Rule::kToZero &&
         decision.after.activity.since == decision.at;
}

}  // namespace bellows::autoscaler
