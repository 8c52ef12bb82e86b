#include "autoscaler/core/decider.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/core/load/dispersion.hpp"
#include "autoscaler/core/rules/bounds.hpp"
#include "autoscaler/core/rules/burst_capacity.hpp"
#include "autoscaler/core/rules/early_scale_up.hpp"
#include "autoscaler/core/rules/fresh_start.hpp"
#include "autoscaler/core/rules/headroom.hpp"
#include "autoscaler/core/rules/keep_alive.hpp"
#include "autoscaler/core/rules/load_demand.hpp"
#include "autoscaler/core/rules/machine_room.hpp"
#include "autoscaler/core/rules/panic.hpp"
#include "autoscaler/core/rules/rate_limit.hpp"
#include "autoscaler/core/rules/scale_to_zero.hpp"
#include "autoscaler/core/rules/seed.hpp"
#include "autoscaler/core/rules/unknown_load.hpp"

namespace bellows::autoscaler {
namespace {

/// Computes the demand of each view of the load.
void evaluate_load(Decision& decision, const ScalingSpec& spec, const Observation& seen,
                   const Memory& memory) {
  const auto whole = [&](double amount) {
    return whole_pods(amount, spec.rules.rounding_tolerance);
  };
  decision.dispersion = dispersion(memory.spread);
  const auto demand = [&](double load) { return replicas_for(spec, load, decision.dispersion); };
  decision.amount = demand(seen.stable.total);
  decision.stable_demand = whole(decision.amount);
  decision.panic_demand = whole(demand(seen.panic.total));
  const CertainLoad sure = significant_load(spec, seen, memory.service_seconds);
  const double lasting = lasting_load(spec, seen, memory.service_seconds);
  if (std::max(sure.load, lasting) <= seen.stable.total) return;
  const double early = std::max(demand(sure.load), lasting / spec.total);
  decision.early_demand = whole(early);
  decision.early_load = early > demand(sure.load) ? EarlyLoad::kLasting : sure.shown_by;
  decision.amount = std::max(decision.amount, early);
}

/// The limits, which explain the number whichever rule sets it.
void evaluate_limits(Decision& decision, const ScalingSpec& spec, const Observation& seen) {
  decision.up_limit = up_limit(spec, seen);
  decision.down_limit = down_limit(spec, seen);
  decision.panic_ratio = spec.is_seed ? seed::panic_ratio(spec, seen) : panic_ratio(spec, seen);
  decision.burst_capacity = burst_capacity(spec, seen);
}

TimePoint next_last_load(TimePoint before, const Observation& seen, TimePoint now) {
  const bool is_called = seen.panic.total > 0 || seen.waiting > 0;
  if (seen.idle_for) return std::max(before, now - *seen.idle_for);
  return is_called ? now : before;
}

/// Updates `memory` with this observation, before any rule sets a number.
void update_memory(Memory& memory, const ScalingSpec& spec, const Observation& seen,
                   TimePoint now) {
  memory.fresh = next_fresh(memory.fresh, spec, seen, now);
  memory.load_unknown_since = next_load_unknown_since(memory.load_unknown_since, seen, now);
  memory.known_back_to = now - std::chrono::seconds(seen.stable.covered_seconds);
  memory.last_load = next_last_load(memory.last_load, seen, now);
  memory.is_initialised = memory.is_initialised || seen.ready >= scale_to_reach_once(spec, seen);
}

/// Requests bypass the activator exactly while there are replicas with spare capacity.
std::optional<TimePoint> next_proxying_since(const std::optional<TimePoint>& before,
                                             const Decision& decision) {
  if (decision.replicas > 0 && decision.burst_capacity >= 0) return std::nullopt;
  return before ? before : decision.at;
}

/// `decision.after` holds the memory as updated so far.
void conclude(Decision& decision, const DesiredReplicas& desired) {
  const ScalingSpec& spec = decision.spec;
  Memory& memory = decision.after;
  decision.replicas = desired.pods;
  decision.rule = desired.rule;
  decision.mode = memory.mode();
  memory.replicas = desired.pods;
  memory.burst_capacity = decision.burst_capacity;
  const PodCount min_ready = memory.is_initialised
                                 ? std::max<PodCount>(min_scale_of(spec, decision.seen), 1)
                                 : scale_to_reach_once(spec, decision.seen);
  memory.activity = next_activity(
      memory.activity,
      {.desired = replicas_by_load(desired), .ready = decision.seen.ready, .min_ready = min_ready},
      decision.at);
  memory.proxying_since = next_proxying_since(memory.proxying_since, decision);
}

/// Nothing between the rules and the bounds changes this number.
void ask_for(Decision& decision, const DesiredReplicas& desired) {
  decision.desired = decision.undelayed = decision.bounded = decision.needed = desired.pods;
  decision.desired_rule = desired.rule;
}

/// Without a decision the last number stays, within the bounds (knative.md 3.2), as does the spare
/// capacity; a new revision still gets its first replica.
void hold_last(Decision& decision) {
  const ScalingSpec& spec = decision.spec;
  Memory& memory = decision.after;
  DesiredReplicas desired{memory.replicas, Rule::kNoData};
  decision.is_valid = false;
  decision.burst_capacity = memory.burst_capacity;
  ask_for(decision, desired);
  apply_bounds(desired, spec, decision.seen, memory.is_initialised);
  const bool is_new = !memory.is_initialised && decision.seen.is_reachable;
  if (is_new) desired.raise_to(std::min<PodCount>(spec.initial_scale, 1), Rule::kInitialScale);
  decision.replicas = decision.bounded = decision.needed = desired.pods;
  decision.rule = desired.rule;
  decision.mode = memory.mode();
  memory.replicas = desired.pods;
}

/// In panic mode nothing scales down, and the delay keeps that.
void limit_scale_down(DesiredReplicas& desired, Decision& decision, const DelayWindow& delay,
                      Memory& next) {
  desired.raise_to(decision.down_limit, Rule::kDownRate);
  if (decision.spec.is_seed) {
    seed::hold_in_panic(desired, next, decision.at);
  } else {
    hold_in_panic(desired, next);
  }
  decision.undelayed = desired.pods;
  apply_delay(desired, decision.spec, decision.seen, delay, decision.at);
}

void retire(Decision& decision) {
  decision.after = {};
  decision.after.last_load = decision.at;
  conclude(decision, {0, Rule::kRetired});
}

/// What is known of the load.
void learn(Decision& decision, const DeciderState& state) {
  Memory& next = decision.after;
  update_memory(next, decision.spec, decision.seen, decision.at);
  if (decision.spec.is_seed) {
    seed::evaluate(decision);
  } else {
    enter_or_leave_panic(next, decision.spec, decision.seen, decision.at);
    evaluate_load(decision, decision.spec, decision.seen, next);
  }
  next.service_seconds = next_service_seconds(state.service_seconds, decision.seen);
  if (decision.spec.rules.headroom == config::Headroom::kSquareRoot) {
    const double room = most_room(decision.spec, decision.seen.stable.total);
    next.spread = next_spread(state.spread, decision.seen, room);
  }
}

/// The number stays, whatever the load and the bounds. What is known of the load is kept up to
/// date, so that the first decision after the pause is as good as any.
void stay_paused(Decision& decision, const DeciderState& state) {
  decision.is_valid = !is_undecidable(decision.spec, decision.seen);
  if (decision.is_valid) {
    learn(decision, state);
  } else {
    decision.burst_capacity = decision.after.burst_capacity;
  }
  const DesiredReplicas desired{decision.seen.requested, Rule::kPaused};
  ask_for(decision, desired);
  conclude(decision, desired);
}

void decide_by_load(Decision& decision, const DeciderState& state) {
  const ScalingSpec& spec = decision.spec;
  const Observation& seen = decision.seen;
  const TimePoint now = decision.at;
  Memory& next = decision.after;
  learn(decision, state);
  DesiredReplicas desired = load_demand(decision, spec, next);
  desired.raise_to(pods_for_waiting(spec, seen), Rule::kWaiting);
  hold_unknown_load(desired, spec, seen, next.load_unknown_since, now);
  desired.limit_to(decision.up_limit, Rule::kUpRate);
  activate(desired, decision, spec, next);
  if (next.fresh) desired.raise_to(seen.requested, Rule::kNoData);
  const PodCount by_load = desired.pods;
  limit_scale_down(desired, decision, state.delay, next);
  run_idle_clock(desired, spec, seen, next, now);
  keep_while_worth(desired, spec, seen, next, state.idle_times, now);
  decision.desired = desired.pods;
  decision.desired_rule = desired.rule;
  apply_bounds(desired, spec, seen, next.is_initialised);
  decision.bounded = desired.pods;
  keep_last_replica(desired, spec, seen, next, now);
  decision.needed = needed_replicas(by_load, desired, decision, spec, next);
  make_room(desired, next.room_made, seen.room_limit, decision.needed);
  conclude(decision, desired);
}

/// By the load of requests, as if there were no other policy.
void decide_alone(Decision& decision, const DeciderState& state) {
  if (is_undecidable(decision.spec, decision.seen)) {
    hold_last(decision);
  } else {
    decide_by_load(decision, state);
  }
}

/// What policies look at; where nothing more was observed a ready replica is free.
PolicySeen policy_seen(const Observation& seen) {
  if (seen.policy) return *seen.policy.get();
  PolicySeen more;
  more.rooms = {.creating = seen.starting, .ready = seen.ready, .occupied = 0, .terminating = 0};
  return more;
}

PolicyInput policy_input(const Decision& decision, const PolicySeen& more, PodCount replicas) {
  return {.now = decision.at,
          .seen = decision.seen,
          .more = more,
          .replicas = replicas,
          .by_load = std::nullopt,
          .slots = decision.spec.slots};
}

/// Without a proposal the last number holds. A request that waits gets a replica in any case.
DesiredReplicas wanted_by_policies(Decision& decision, const PolicyOutcome& outcome,
                                   PodCount before) {
  DesiredReplicas desired{before, Rule::kPolicy};
  decision.is_valid = outcome.winner >= 0;
  if (decision.is_valid) {
    desired.pods = *outcome.proposals[static_cast<std::size_t>(outcome.winner)].replicas;
  }
  if (decision.seen.waiting > 0) desired.raise_to(1, Rule::kWaiting);
  return desired;
}

/// The maximum of what the policies ask for, within the bounds.
void decide_by_policies(Decision& decision, const DeciderState& state) {
  const ScalingSpec& spec = decision.spec;
  const PolicySeen more = policy_seen(decision.seen);
  PolicyInput input = policy_input(decision, more, state.replicas);
  if (spec.policies.uses_load()) {
    decide_alone(decision, state);
    if (decision.is_valid) input.by_load = decision.replicas;
  } else if (!is_undecidable(spec, decision.seen)) {
    learn(decision, state);
  }
  auto outcome =
      std::make_shared<const PolicyOutcome>(spec.policies.propose(input, state.policies));
  decision.policies = outcome;
  if (outcome->is_by_load) return;
  // What the decider alone concluded of its number does not hold.
  decision.after.activity = state.activity;
  decision.after.proxying_since = state.proxying_since;
  DesiredReplicas desired = wanted_by_policies(decision, *outcome, state.replicas);
  ask_for(decision, desired);
  apply_bounds(desired, spec, decision.seen, decision.after.is_initialised);
  decision.bounded = decision.needed = desired.pods;
  conclude(decision, desired);
}

/// Replicas that say that they are busy are not removed, whatever the policies and bounds say.
void keep_occupied(Decision& decision) {
  const PodCount kept = decision.seen.policy ? decision.seen.policy->kept : 0;
  decision.needed = std::max(decision.needed, kept);
  if (decision.replicas >= kept) return;
  decision.replicas = decision.after.replicas = kept;
  decision.rule = Rule::kOccupied;
}

}  // namespace

Decision decide(const ScalingSpec& spec, const Observation& seen, const DeciderState& state,
                TimePoint now) {
  Decision decision{{.at = now, .seen = seen, .after = state}, spec};
  evaluate_limits(decision, decision.spec, seen);
  if (seen.is_retired) {
    retire(decision);
  } else if (seen.is_paused) {
    stay_paused(decision, state);
  } else {
    if (decision.spec.policies.is_plain()) {
      decide_alone(decision, state);
    } else {
      decide_by_policies(decision, state);
    }
    keep_occupied(decision);
  }
  return decision;
}

void remember(DeciderState& state, const Decision& decision) {
  record_idle_time(state.idle_times, state, decision);
  if (decision.policies) {
    const PolicySeen more = policy_seen(decision.seen);
    decision.spec.policies.remember(state.policies, policy_input(decision, more, state.replicas),
                                    *decision.policies);
  }
  static_cast<Memory&>(state) = decision.after;
  record_undelayed(state.delay, decision);
}

}  // namespace bellows::autoscaler
