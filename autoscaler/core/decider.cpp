#include "autoscaler/core/decider.hpp"

#include <algorithm>

#include "autoscaler/core/bounds.hpp"
#include "autoscaler/core/burst_capacity.hpp"
#include "autoscaler/core/fresh_start.hpp"
#include "autoscaler/core/known_window.hpp"
#include "autoscaler/core/panic.hpp"
#include "autoscaler/core/pods_for.hpp"
#include "autoscaler/core/rate_limit.hpp"
#include "autoscaler/core/scale_to_zero.hpp"

namespace bellows::autoscaler {
namespace {

/// The numbers that explain the answer, whichever rule sets it.
Decision weigh(const ScalingSpec& spec, const Observation& seen, TimePoint now) {
  Decision decision;
  decision.at = now;
  decision.stable_answer = pods_for(seen.stable.total, spec.target);
  decision.panic_answer = pods_for(seen.panic.total, spec.target);
  decision.up_limit = up_limit(spec, seen);
  decision.panic_ratio = panic_ratio(spec, seen);
  decision.burst_capacity = burst_capacity(spec, seen);
  decision.spec = spec;
  decision.seen = seen;
  return decision;
}

DeciderState next_state(const DeciderState& before, const ScalingSpec& spec,
                        const Observation& seen, TimePoint now) {
  DeciderState next;
  next.panic = next_panic(before.panic, spec, seen, now);
  next.fresh = next_fresh(before.fresh, spec, seen, now);
  next.idle_since = next_idle_since(before.idle_since, spec, seen, next.fresh.has_value(), now);
  next.known_back_to = now - std::chrono::seconds(seen.stable.covered_seconds);
  return next;
}

Answer what_the_load_asks(const Decision& weighed, const DeciderState& state) {
  if (is_blind(weighed.seen)) return {weighed.seen.requested, Rule::kNoData};
  Answer answer{weighed.stable_answer, Rule::kTarget};
  if (state.panic) answer.at_least(weighed.panic_answer, Rule::kPanicTarget);
  return answer;
}

/// While a replica serves, requests that wait are in the load already; before that the first of
/// them must be enough, without any average.
PodCount pods_for_waiting(const ScalingSpec& spec, const Observation& seen) {
  if (seen.waiting == 0 || seen.observed > 0) return 0;
  return std::max<PodCount>(1, pods_for(static_cast<double>(seen.waiting), spec.target));
}

void hold_in_panic(Answer& answer, DeciderState& state) {
  if (!state.panic) return;
  answer.at_least(state.panic->most, Rule::kPanicHold);
  state.panic->most = answer.pods;
}

Decision& settle(Decision& decision, const Answer& answer, const DeciderState& state) {
  decision.want = answer.pods;
  decision.rule = answer.rule;
  decision.mode = state.mode();
  decision.after = state;
  decision.after.want = answer.pods;
  return decision;
}

}  // namespace

Decision decide(const ScalingSpec& spec, const Observation& seen, const DeciderState& state,
                TimePoint now) {
  Decision decision = weigh(spec, seen, now);
  if (seen.is_retired) return settle(decision, {0, Rule::kRetired}, DeciderState{});

  DeciderState next = next_state(state, spec, seen, now);
  Answer answer = what_the_load_asks(decision, next);
  answer.at_least(pods_for_waiting(spec, seen), Rule::kWaiting);
  answer.at_most(decision.up_limit, Rule::kUpRate);
  if (next.fresh) answer.at_least(seen.requested, Rule::kFreshStart);
  hold_in_panic(answer, next);
  keep_last_replica(answer, spec, seen, next.idle_since, now);
  decision.before_bounds = answer.pods;
  apply_bounds(answer, spec);
  return settle(decision, answer, next);
}

}  // namespace bellows::autoscaler
