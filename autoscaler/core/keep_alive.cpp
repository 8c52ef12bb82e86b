#include "autoscaler/core/keep_alive.hpp"

#include <algorithm>

#include "autoscaler/core/known_window.hpp"

namespace bellows::autoscaler {
namespace {

/// Calls by a timer come this part of the gap, and so many seconds, before or after their time.
constexpr double kSlack = 0.02;
constexpr double kSlackSeconds = 2;
/// A gap as no other weighs as much as half a known one.
constexpr double kUnheardOf = 0.5;
/// A turn of the decider, and a second by which a load is known late.
constexpr double kLeadSeconds = 3;

double latest(double gap) {
  return gap * (1 + kSlack) + kSlackSeconds;
}

double earliest(double gap, double start) {
  return gap * (1 - kSlack) - start - kLeadSeconds;
}

bool are_mostly_within(Gaps::Spans known, double longest) {
  const auto within = std::ranges::count_if(known, [&](float gap) { return gap <= longest; });
  return 2 * within >= std::ssize(known);
}

bool is_due(Gaps::Spans known, double idle, double start) {
  return std::ranges::any_of(
      known, [&](float gap) { return earliest(gap, start) <= idle && idle <= latest(gap); });
}

/// Whether waiting until the end of the gap `until` spares more than it costs.
bool does_pay(const ScalingSpec& spec, Gaps::Spans known, double idle, double until) {
  double cost = kUnheardOf * (until - idle);
  double spared = 0;
  for (const float gap : known) {
    if (latest(gap) < idle) continue;
    cost += std::min<double>(std::max<double>(gap, idle), until) - idle;
    if (gap <= until) ++spared;
  }
  return spared * to_seconds(spec.rules.cold_start_worth) >= cost;
}

/// Whether a call is expected `idle` after what the durations are counted from, and worth waiting
/// for.
bool is_expected(const ScalingSpec& spec, Gaps::Spans known, Duration idle, Duration start) {
  const double seconds = to_seconds(idle);
  if (!is_due(known, seconds, to_seconds(start))) return false;
  return std::ranges::any_of(known, [&](float gap) {
    return latest(gap) >= seconds && does_pay(spec, known, seconds, latest(gap));
  });
}

bool is_quiet(const Observation& seen) {
  return seen.waiting == 0 && seen.panic.total <= 0 && seen.newest <= 0;
}

/// A load that nobody could tell for a while may not be taken for idleness, but not for ever.
bool is_unsure(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
               TimePoint now) {
  if (memory.silent_since) return now - *memory.silent_since < spec.rules.unknown_load_hold;
  return memory.fresh || seen.panic.covered_seconds < to_seconds(spec.panic_window);
}

/// Without it zero may come before the window is empty; with it not before the window, as in
/// Knative, has been empty for so long.
bool is_retained(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                 TimePoint now) {
  if (spec.pod_retention == Duration::zero() || !seen.is_reachable) return false;
  return now - memory.last_load < spec.stable_window + spec.pod_retention;
}

Rule what_holds(const ScalingSpec& spec, const Observation& seen, const Memory& memory,
                TimePoint now) {
  const bool can_ask = spec.target_burst_capacity != -1;
  if (can_ask && !seen.does_activator_answer) return Rule::kProbe;
  if (is_retained(spec, seen, memory, now)) return Rule::kRetention;
  return is_unsure(spec, seen, memory, now) ? Rule::kNoData : Rule::kToZero;
}

}  // namespace

bool is_worth_keeping(const ScalingSpec& spec, const Gaps& gaps, const Since& since,
                      Duration start) {
  if (gaps.gaps().empty()) return since.last < spec.stable_window;
  const Duration usual = spec.stable_window * 3 / 2;
  if (since.last < usual && are_mostly_within(gaps.gaps(), to_seconds(usual))) return true;
  return is_expected(spec, gaps.gaps(), since.last, start) ||
         is_expected(spec, gaps.periods(), since.first, start);
}

void keep_while_worth(Answer& answer, const ScalingSpec& spec, const Observation& seen,
                      const Memory& memory, const Gaps& gaps, TimePoint now) {
  if (spec.rules.keep_alive != config::KeepAlive::kLearned) return;
  if (answer.pods > 1 || !is_quiet(seen)) return;
  if (memory.panic || answer.rule == Rule::kDelay) return;
  if (seen.requested == 0 && !gaps.has_seen_a_call()) return;  // nothing is expected
  const Since since{.last = now - memory.last_load, .first = now - gaps.begun()};
  const Duration start = seen.start_time.value_or(Duration::zero());
  if (is_worth_keeping(spec, gaps, since, start)) {
    answer = {1, gaps.gaps().empty() ? Rule::kLastReplica : Rule::kExpected};
  } else if (seen.requested == 0) {
    answer = {0, Rule::kAtZero};
  } else {
    const Rule rule = what_holds(spec, seen, memory, now);
    answer = {rule == Rule::kToZero ? 0 : 1, rule};
  }
}

void record_gap(Gaps& gaps, const Memory& before, const Decision& decision) {
  if (!decision.is_valid || decision.after.last_load <= before.last_load) return;
  gaps.record(before.last_load, decision.after.last_load, decision.spec.panic_window);
}

}  // namespace bellows::autoscaler
