#include "autoscaler/core/rules/keep_alive.hpp"

#include <algorithm>

#include "autoscaler/core/load/known_window.hpp"

namespace bellows::autoscaler {
namespace {

/// Requests of a timer arrive within this fraction of the idle time, and so many seconds, around
/// their time.
constexpr double kSlack = 0.02;
constexpr double kSlackSeconds = 2;
/// The weight of an idle time unlike all known ones, compared with a known one.
constexpr double kUnheardOf = 0.5;
/// One evaluation period, and the second by which a load is known late.
constexpr double kLeadSeconds = 3;

double latest(double idle_time) {
  return idle_time * (1 + kSlack) + kSlackSeconds;
}

double earliest(double idle_time, double start) {
  return idle_time * (1 - kSlack) - start - kLeadSeconds;
}

bool are_mostly_within(IdleTimes::Durations known, double longest) {
  const auto within =
      std::ranges::count_if(known, [&](float idle_time) { return idle_time <= longest; });
  return 2 * within >= std::ssize(known);
}

bool is_due(IdleTimes::Durations known, double idle, double start) {
  return std::ranges::any_of(known, [&](float idle_time) {
    return earliest(idle_time, start) <= idle && idle <= latest(idle_time);
  });
}

/// True if keeping a replica until the end of the idle time `until` saves more than it costs.
bool does_pay(const ScalingSpec& spec, IdleTimes::Durations known, double idle, double until) {
  double cost = kUnheardOf * (until - idle);
  double spared = 0;
  for (const float idle_time : known) {
    if (latest(idle_time) < idle) continue;
    cost += std::min<double>(std::max<double>(idle_time, idle), until) - idle;
    if (idle_time <= until) ++spared;
  }
  return spared * to_seconds(spec.rules.cold_start_worth) >= cost;
}

/// True if a request is likely `idle` after the start of the durations, and worth keeping a replica
/// for.
bool is_expected(const ScalingSpec& spec, IdleTimes::Durations known, Duration idle,
                 Duration start) {
  const double seconds = to_seconds(idle);
  if (!is_due(known, seconds, to_seconds(start))) return false;
  return std::ranges::any_of(known, [&](float idle_time) {
    return latest(idle_time) >= seconds && does_pay(spec, known, seconds, latest(idle_time));
  });
}

bool is_quiet(const Observation& seen) {
  return seen.waiting == 0 && seen.panic.total <= 0 && seen.newest <= 0;
}

/// A load that was unknown for a while is not taken for idleness, but only for unknown-load-hold.
bool is_unsure(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
               TimePoint now) {
  if (memory.load_unknown_since)
    return now - *memory.load_unknown_since < spec.rules.unknown_load_hold;
  return memory.fresh || seen.panic.covered_seconds < to_seconds(spec.panic_window);
}

bool is_retained(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                 TimePoint now) {
  const auto end = end_of_retention(spec, seen, memory);
  return end && now < *end;
}

Rule what_holds(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                TimePoint now) {
  const bool can_ask = spec.target_burst_capacity != -1;
  if (can_ask && !seen.does_activator_answer) return Rule::kProbe;
  if (is_retained(spec, seen, memory, now)) return Rule::kRetention;
  return is_unsure(spec, seen, memory, now) ? Rule::kNoData : Rule::kToZero;
}

}  // namespace

std::optional<TimePoint> end_of_retention(const ScalingSpec& spec, const Observation& seen,
                                          const Memory& memory) {
  if (spec.pod_retention == Duration::zero() || !seen.is_reachable) return std::nullopt;
  return memory.last_load + spec.stable_window + spec.pod_retention;
}

bool is_worth_keeping(const ScalingSpec& spec, const IdleTimes& idle_times,
                      const ElapsedSince& since, Duration start) {
  if (idle_times.idle_times().empty()) return since.last < spec.stable_window;
  const Duration usual = spec.stable_window * 3 / 2;
  if (since.last < usual && are_mostly_within(idle_times.idle_times(), to_seconds(usual)))
    return true;
  return is_expected(spec, idle_times.idle_times(), since.last, start) ||
         is_expected(spec, idle_times.periods(), since.first, start);
}

void keep_while_worth(DesiredReplicas& desired, const ScalingSpec& spec, const Observation& seen,
                      const Memory& memory, const IdleTimes& idle_times, TimePoint now) {
  if (spec.rules.keep_alive != config::KeepAlive::kLearned) return;
  if (desired.pods > 1 || !is_quiet(seen)) return;
  if (memory.panic || desired.rule == Rule::kDelay) return;
  if (seen.requested == 0 && !idle_times.has_seen_request()) return;  // nothing is expected
  const ElapsedSince since{.last = now - memory.last_load, .first = now - idle_times.busy_since()};
  const Duration start = seen.start_time.value_or(Duration::zero());
  if (is_worth_keeping(spec, idle_times, since, start)) {
    desired = {1, idle_times.idle_times().empty() ? Rule::kLastReplica : Rule::kExpected};
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
