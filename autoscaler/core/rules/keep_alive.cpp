#include "autoscaler/core/rules/keep_alive.hpp"

#include <algorithm>

#include "autoscaler/core/rules/bounds.hpp"
#include "autoscaler/core/rules/scale_to_zero.hpp"
#include "autoscaler/core/rules/unknown_load.hpp"

namespace bellows::autoscaler {
namespace {

/// One call at a container-concurrency of 1 is more than the target of one replica and may enter
/// panic mode with a second one. Panic mode waits for the load to come back, and the rhythm says
/// when.
constexpr PodCount kReplicasOfACall = 2;

bool is_quiet(const Observation& seen) {
  return seen.waiting == 0 && seen.panic.total <= 0 && seen.newest <= 0;
}

/// True while the only replica starts. Ending it before it is ready would only begin the start
/// again.
bool is_first_start(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                    TimePoint now) {
  return seen.ready == 0 && seen.starting > seen.failing &&
         memory.activity.state == Serving::kActivating &&
         now - memory.activity.since <= start_timeout(spec);
}

/// A replica that was not ready for the requests that started it stays for those that are sent
/// again.
TimePoint begin_of_idle_time(const Observation& seen, const Memory& memory, TimePoint now) {
  switch (memory.activity.state) {
    case Serving::kInactive:
      break;
    case Serving::kActivating:
      if (seen.ready > 0) return now;
      break;
    case Serving::kActive:
      return std::max(memory.last_load, memory.activity.since);
  }
  return memory.last_load;
}

Rule what_holds(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                TimePoint now) {
  if (is_first_start(spec, seen, memory, now)) return Rule::kLastReplica;
  // The last replica does not end, so activators need not be in the path for it.
  if (keeps_a_replica(spec, seen)) return Rule::kToZero;
  const auto retained = end_of_retention(spec, seen, memory);
  if (is_bypassed(spec, seen) || (retained && now < *retained)) return Rule::kGrace;
  const bool knows_enough =
      !memory.fresh && seen.panic.covered_seconds >= to_seconds(spec.panic_window);
  return is_unsure(spec, memory, knows_enough, now) ? Rule::kNoData : Rule::kToZero;
}

}  // namespace

std::optional<TimePoint> end_of_retention(const ScalingSpec& spec, const Observation& seen,
                                          const Memory& memory) {
  if (spec.pod_retention == Duration::zero() || !seen.is_reachable) return std::nullopt;
  return memory.last_load + spec.stable_window + spec.pod_retention;
}

Duration long_start(const Observation& seen) {
  constexpr int kDeviations = 2;
  return seen.start_time.value_or(Duration::zero()) + kDeviations * seen.start_spread;
}

Duration kept_by_chance(const ScalingSpec& spec) {
  return spec.stable_window + kEvaluationPeriod;
}

std::optional<Rhythm> rhythm_of(const ScalingSpec& spec, const IdleTimes& idle_times,
                                Duration start) {
  return find_rhythm(idle_times, {.start = to_seconds(start),
                                  .constant = to_seconds(kept_by_chance(spec)),
                                  .cold_start_worth = to_seconds(spec.rules.cold_start_worth)});
}

bool is_worth_keeping(const ScalingSpec& spec, const IdleTimes& idle_times,
                      const std::optional<Rhythm>& rhythm, const ElapsedSince& since,
                      Duration start) {
  if (!rhythm) return since.last < kept_by_chance(spec);
  return is_due(idle_times, *rhythm, to_seconds(start), to_seconds(since.last),
                to_seconds(since.first));
}

void keep_while_worth(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                      const Memory& memory, const IdleTimes& idle_times, TimePoint now) {
  if (spec.rules.keep_alive != config::KeepAlive::kLearned) return;
  const PodCount at_most = memory.panic ? kReplicasOfACall : 1;
  if (desired.pods > at_most || desired.rule == Rule::kDelay) return;
  if (!is_quiet(seen)) {
    // The windows may round to zero, and they leave out the newest second.
    if (seen.requested > 0) desired.raise_to(1, Rule::kLastReplica);
    return;
  }
  if (seen.requested == 0 && !idle_times.has_seen_request()) return;  // nothing is expected
  const ElapsedSince since{.last = now - begin_of_idle_time(seen, memory, now),
                           .first = now - idle_times.busy_since()};
  const Duration start = long_start(seen);
  const auto rhythm = rhythm_of(spec, idle_times, start);
  if (memory.panic && (!rhythm || rhythm->keeps_nothing())) return;
  const bool can_start = rhythm.has_value();  // by chance none is started ahead
  if ((can_start || seen.requested > 0) &&
      is_worth_keeping(spec, idle_times, rhythm, since, start)) {
    desired = {1, rhythm ? Rule::kExpected : Rule::kLastReplica};
  } else if (seen.requested == 0) {
    desired = {0, Rule::kAtZero};
  } else {
    const Rule rule = what_holds(spec, seen, memory, now);
    desired = {rule == Rule::kToZero ? 0 : 1, rule};
  }
}

void record_idle_time(IdleTimes& idle_times, const Memory& before, const Decision& decision) {
  if (!decision.is_valid || decision.after.last_load <= before.last_load) return;
  idle_times.record(before.last_load, decision.after.last_load, decision.spec.panic_window);
}

}  // namespace bellows::autoscaler
