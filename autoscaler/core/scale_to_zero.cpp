#include "autoscaler/core/scale_to_zero.hpp"

#include <algorithm>

#include "autoscaler/core/known_window.hpp"

namespace bellows::autoscaler {
namespace {

/// What is requested counts, not what is listed: a replica that leaves may be listed for a while.
bool is_at_zero(const Observation& seen) {
  return seen.requested == 0 && !has_load(seen);
}

/// A load that nobody could tell for a while may not be taken for idleness.
bool is_unsure(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
               TimePoint now) {
  if (spec.rules.no_data != config::NoData::kHold) return false;
  const bool is_given_up =
      memory.silent_since && now - *memory.silent_since >= spec.rules.unknown_load_hold;
  return !is_given_up && (memory.silent_since || !knows(seen, spec.stable_window));
}

Answer while_activating(const ScalingSpec& spec, Duration lasted) {
  if (lasted > spec.progress_deadline + kProgressSlack) return {0, Rule::kToZero};
  return {1, Rule::kActivating};
}

/// Knative needs the grace time only until the network has been switched to the activators; where
/// they have been in the path for as long already (grace-from activator) nothing is waited for.
Answer while_inactive(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                      TimePoint now) {
  const Duration grace = spec.scale_to_zero_grace_period;
  const Duration retention = seen.is_reachable ? spec.pod_retention : Duration::zero();
  const Duration lasted = now - memory.activity.since;
  const bool can_ask = spec.target_burst_capacity != -1;
  if (can_ask && !seen.does_activator_answer) return {1, Rule::kProbe};
  if (lasted >= std::max(grace, retention)) return {0, Rule::kToZero};
  if (lasted < retention) return {1, Rule::kRetention};
  const bool is_proxied = memory.proxying_since && now - *memory.proxying_since >= grace;
  const bool is_spared = spec.rules.grace_from == config::GraceFrom::kActivator && is_proxied;
  if (is_spared) return {0, Rule::kToZero};
  return {1, Rule::kGrace};
}

Answer judge_zero(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                  TimePoint now) {
  const Duration lasted = now - memory.activity.since;
  if (is_unsure(spec, seen, memory, now)) return {1, Rule::kNoData};
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

void run_idle_clock(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                    const Memory& memory, TimePoint now) {
  if (spec.rules.keep_alive != config::KeepAlive::kIdleClock || is_at_zero(seen)) return;
  if (now - memory.last_load >= spec.rules.idle_clock) {
    answer = {0, Rule::kIdleClock};
  } else {
    answer.at_least(1, Rule::kLastReplica);
  }
}

void keep_last_replica(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                       const Memory& memory, TimePoint now) {
  if (answer.pods > 0) return;
  if (is_at_zero(seen)) {
    const bool is_new = !memory.is_initialised && spec.initial_scale > 0 && seen.is_reachable;
    answer = is_new ? Answer{1, Rule::kInitialScale} : Answer{0, Rule::kAtZero};
  } else if (spec.rules.keep_alive == config::KeepAlive::kWindow) {
    answer = judge_zero(spec, seen, memory, now);
  }
}

PodCount wanted_by_load(const Answer& answer) {
  switch (answer.rule) {
    case Rule::kActivating:
    case Rule::kFreshStart:
    case Rule::kNoData:
      return -1;
    case Rule::kProbe:
    case Rule::kRetention:
    case Rule::kGrace:
      return 0;
    default:
      return answer.pods;
  }
}

}  // namespace bellows::autoscaler
