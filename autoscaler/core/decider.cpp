#include "autoscaler/core/decider.hpp"

#include <algorithm>

#include "autoscaler/core/bounds.hpp"
#include "autoscaler/core/burst_capacity.hpp"
#include "autoscaler/core/fresh_start.hpp"
#include "autoscaler/core/headroom.hpp"
#include "autoscaler/core/keep_alive.hpp"
#include "autoscaler/core/known_window.hpp"
#include "autoscaler/core/load_answer.hpp"
#include "autoscaler/core/panic.hpp"
#include "autoscaler/core/pods_for.hpp"
#include "autoscaler/core/rate_limit.hpp"
#include "autoscaler/core/rise.hpp"
#include "autoscaler/core/scale_down_delay.hpp"
#include "autoscaler/core/scale_to_zero.hpp"
#include "autoscaler/core/unknown_load.hpp"

namespace bellows::autoscaler {
namespace {

/// What each view of the load asks for. In panic too it is looked ahead, although a jump is no
/// trend: else more load, which panics, would get fewer replicas than less load, which does not.
void weigh_load(Decision& decision, const ScalingSpec& spec, const Observation& seen,
                const Memory& memory, TimePoint now) {
  const auto whole = [&](double amount) {
    return whole_pods(amount, spec.rules.rounding_tolerance);
  };
  // As it was before this observation, so that more load never makes it less.
  const double spread = spread_index(memory.burstiness);
  const double planned = planned_spread(decision);
  decision.amount = replicas_for(spec, seen, seen.stable, planned);
  decision.stable_answer = whole(decision.amount);
  decision.panic_answer = whole(replicas_for(spec, seen, seen.panic, planned));
  const double sure = sure_load(spec, seen, memory.service_seconds, spread);
  if (sure > seen.stable.total) {
    decision.amount = replicas_for(spec, sure, planned);
    decision.rise_answer = whole(decision.amount);
  }
  const double noise =
      deviation(seen.stable.total, memory.service_seconds, spec.stable_window, 2 * spread);
  const double growth = growth_ahead(memory.trend, seen, sure, noise, now);
  if (growth > 0) {
    decision.amount = replicas_for(spec, sure + growth, planned);
    decision.ahead_answer = whole(decision.amount);
  }
}

/// The limits that explain the answer, whichever rule sets it.
void weigh_limits(Decision& decision, const ScalingSpec& spec, const Observation& seen) {
  decision.up_limit = up_limit(spec, seen);
  decision.down_limit = down_limit(spec, seen);
  decision.panic_ratio = panic_ratio(spec, seen);
  decision.burst_capacity = burst_capacity(spec, seen);
}

TimePoint next_last_load(TimePoint before, const Observation& seen, TimePoint now) {
  const bool is_called = seen.panic.total > 0 || seen.waiting > 0;
  if (seen.idle_for) return std::max(before, now - *seen.idle_for);
  return is_called ? now : before;
}

/// Moves `memory` on by this observation, before anything is answered.
void take_in(Memory& memory, const ScalingSpec& spec, const Observation& seen, TimePoint now) {
  enter_or_leave_panic(memory, spec, seen, now);
  memory.fresh = next_fresh(memory.fresh, spec, seen, now);
  memory.silent_since = next_silent_since(memory.silent_since, seen, now);
  memory.known_back_to = now - std::chrono::seconds(seen.stable.covered_seconds);
  memory.last_load = next_last_load(memory.last_load, seen, now);
  memory.trend = next_trend(memory.trend, spec, seen, now);
  memory.is_initialised = memory.is_initialised || seen.ready >= scale_to_reach_once(spec, seen);
}

/// Callers may leave the activator out exactly while replicas are wanted and have room to spare.
std::optional<TimePoint> next_proxying_since(const std::optional<TimePoint>& before,
                                             const Decision& decision) {
  if (decision.want > 0 && decision.burst_capacity >= 0) return std::nullopt;
  return before ? before : decision.at;
}

/// Panic's answer sinks like any other when panic is over.
void glide_down(Answer& answer, const Decision& decision, Memory& memory, TimePoint now) {
  const ScalingSpec& spec = decision.spec;
  const double amount = std::min<double>(decision.amount, answer.pods);  // held by a limit
  memory.glide = next_glide(memory.glide, spec, amount, now);
  if (answer.pods > 0) {
    answer.at_least(whole_pods(memory.glide.level, spec.rules.rounding_tolerance), Rule::kGlide);
  }
  if (memory.panic) memory.glide.level = std::max<double>(memory.glide.level, answer.pods);
}

/// `decision.after` is what is remembered so far.
void settle(Decision& decision, const Answer& answer) {
  const ScalingSpec& spec = decision.spec;
  Memory& memory = decision.after;
  decision.want = answer.pods;
  decision.rule = answer.rule;
  decision.mode = memory.mode();
  memory.want = answer.pods;
  memory.burst_capacity = decision.burst_capacity;
  const PodCount min = memory.is_initialised
                           ? std::max<PodCount>(min_scale_of(spec, decision.seen), 1)
                           : scale_to_reach_once(spec, decision.seen);
  memory.activity = next_activity(
      memory.activity, {.want = wanted_by_load(answer), .ready = decision.seen.ready, .min = min},
      decision.at);
  memory.proxying_since = next_proxying_since(memory.proxying_since, decision);
}

/// Nothing can be said: what was wanted stays, as far as the bounds allow (knative.md 3.2), and the
/// room for a burst; a new revision still gets its first replica.
void keep(Decision& decision) {
  const ScalingSpec& spec = decision.spec;
  Memory& memory = decision.after;
  Answer answer{memory.want, Rule::kNoData};
  decision.is_valid = false;
  decision.burst_capacity = memory.burst_capacity;
  decision.desired = decision.undelayed = answer.pods;
  decision.desired_rule = answer.rule;
  apply_bounds(answer, spec, decision.seen, memory.is_initialised);
  const bool is_new = !memory.is_initialised && decision.seen.is_reachable;
  if (is_new) answer.at_least(std::min<PodCount>(spec.initial_scale, 1), Rule::kInitialScale);
  decision.want = decision.bounded = answer.pods;
  decision.rule = answer.rule;
  decision.mode = memory.mode();
  memory.want = answer.pods;
}

/// In panic nothing goes down, and the delay holds that. A step of the down-rate comes last, so
/// that the delay does not begin anew with it; or, as in Knative, first.
void come_down_slowly(Answer& answer, Decision& decision, const DelayWindow& delay, Memory& next) {
  const ScalingSpec& spec = decision.spec;
  const bool is_rate_first = spec.rules.down_rate_order == config::DownRateOrder::kBeforeDelay;
  if (is_rate_first) answer.at_least(decision.down_limit, Rule::kDownRate);
  hold_in_panic(answer, next, spec, decision.at);
  glide_down(answer, decision, next, decision.at);
  decision.undelayed = answer.pods;
  apply_delay(answer, spec, decision.seen, delay, decision.at);
  if (is_rate_first) return;
  answer.at_least(decision.down_limit, Rule::kDownRate);
  hold_in_panic(answer, next, spec, decision.at);
}

void retire(Decision& decision) {
  decision.after = {};
  decision.after.last_load = decision.at;
  settle(decision, {0, Rule::kRetired});
}

void answer_load(Decision& decision, const DeciderState& state) {
  const ScalingSpec& spec = decision.spec;
  const Observation& seen = decision.seen;
  const TimePoint now = decision.at;
  Memory& next = decision.after;
  take_in(next, spec, seen, now);
  weigh_load(decision, spec, seen, next, now);
  next.service_seconds = next_service_seconds(state.service_seconds, seen);
  Answer answer = load_answer(decision, spec, next);
  answer.at_least(pods_for_waiting(spec, seen), Rule::kWaiting);
  hold_silent(answer, spec, seen, next.silent_since, now);
  answer.at_most(decision.up_limit, Rule::kUpRate);
  activate(answer, decision, spec, next);
  if (next.fresh) answer.at_least(seen.requested, Rule::kFreshStart);
  come_down_slowly(answer, decision, state.delay, next);
  run_idle_clock(answer, spec, seen, next, now);
  keep_while_worth(answer, spec, seen, next, state.gaps, now);
  decision.desired = answer.pods;
  decision.desired_rule = answer.rule;
  apply_bounds(answer, spec, seen, next.is_initialised);
  decision.bounded = answer.pods;
  keep_last_replica(answer, spec, seen, next, now);
  settle(decision, answer);
}

}  // namespace

Decision decide(const ScalingSpec& spec, const Observation& seen, const DeciderState& state,
                TimePoint now) {
  Decision decision{{.at = now, .seen = seen, .after = state}, spec};
  weigh_limits(decision, spec, seen);
  if (seen.is_retired) {
    retire(decision);
  } else if (is_undecidable(spec, seen)) {
    keep(decision);
  } else {
    answer_load(decision, state);
  }
  return decision;
}

void remember(DeciderState& state, const Decision& decision) {
  record_gap(state.gaps, state, decision);
  static_cast<Memory&>(state) = decision.after;
  if (decision.is_valid) {
    learn_burstiness(state.burstiness, state.recent_loads, decision.spec, decision.seen,
                     state.service_seconds, decision.at);
  }
  record_undelayed(state.delay, decision);
}

}  // namespace bellows::autoscaler
