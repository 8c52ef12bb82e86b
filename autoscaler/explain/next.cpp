#include "autoscaler/explain/next.hpp"

#include <algorithm>
#include <optional>

#include "autoscaler/core/rules/keep_alive.hpp"
#include "autoscaler/core/rules/scale_to_zero.hpp"
#include "autoscaler/core/rules/unknown_load.hpp"
#include "autoscaler/explain/text.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

std::optional<TimePoint> end_of_retention(const Decision& decision) {
  return autoscaler::end_of_retention(decision.spec, decision.seen, decision.after);
}

/// Returns the first evaluation within a day at which learned keep-alive keeps a replica, or keeps
/// none.
std::optional<TimePoint> first_evaluation(const Subject& subject, bool is_kept) {
  const auto& [decision, idle_times, clock, service] = subject;
  if (decision.spec.rules.keep_alive != config::KeepAlive::kLearned) return std::nullopt;
  constexpr Duration kHorizon = std::chrono::hours(24);
  const Duration start = long_start(decision.seen);
  const auto rhythm = rhythm_of(decision.spec, idle_times, start);
  for (TimePoint at = decision.at; at < decision.at + kHorizon; at += kEvaluationPeriod) {
    const ElapsedSince since{.last = at - decision.after.last_load,
                             .first = at - idle_times.busy_since()};
    if (is_worth_keeping(decision.spec, idle_times, rhythm, since, start) == is_kept) return at;
  }
  return std::nullopt;
}

/// Returns the later of two ends; nullopt: it is unknown.
std::optional<TimePoint> end_of_learned_stay(const Subject& subject) {
  const auto end = first_evaluation(subject, false);
  const auto retained = end_of_retention(subject.decision);
  return end && retained ? std::max(*end, *retained) : end;
}

/// Returns the time at which the last replica is removed without a request, if only time decides
/// that.
std::optional<TimePoint> end_of_stay(const Subject& subject) {
  const Decision& decision = subject.decision;
  const ScalingSpec& spec = decision.spec;
  const TimePoint since = decision.after.activity.since;
  const bool is_learned = spec.rules.keep_alive == config::KeepAlive::kLearned;
  switch (decision.rule) {
    case Rule::kGrace:
      if (is_learned) return end_of_retention(decision);
      return since + std::max(is_retained(decision) ? spec.pod_retention : Duration::zero(),
                              spec.scale_to_zero_grace_period);
    default:
      if (is_learned) return end_of_learned_stay(subject);
      if (spec.rules.keep_alive == config::KeepAlive::kConstant) {
        return decision.after.last_load + spec.rules.idle_clock;
      }
      return since + spec.stable_window + spec.scale_to_zero_grace_period;
  }
}

std::string next_ready_or_given_up(const Subject& subject) {
  const ScalingSpec& spec = subject.decision.spec;
  const TimePoint end = subject.decision.after.activity.since + start_timeout(spec);
  return "It is removed if it is not ready by " + subject.clock(end) + " (" +
         start_timeout_text(subject.decision) + ")";
}

}  // namespace

std::string next_panic(const Subject& subject) {
  if (subject.decision.panic_ratio <= 0) return {};
  return "Panic mode starts at " + number_text(subject.decision.spec.panic_threshold) +
         " times the target per replica; the load is at " +
         number_text(subject.decision.panic_ratio);
}

std::string next_in_panic(const Subject& subject) {
  const Decision& decision = subject.decision;
  const TimePoint end = decision.after.panic->last_over + decision.spec.stable_window;
  const bool is_held = decision.rule == Rule::kPanicHold;
  return (is_held ? "Panic mode ends at " : "Nothing scales down before ") + subject.clock(end) +
         ", or later if the load rises like that again";
}

std::string next_ready(const Subject& subject) {
  const auto& start = subject.decision.seen.start_time;
  const bool is_served = subject.decision.seen.observed > 0;
  if (!start || is_served) return {};
  return "A replica takes " + rounded_duration_text(*start) + " to start";
}

std::string next_evaluation(const Subject& /*subject*/) {
  return "The next decision, " + duration_text(kEvaluationPeriod) + " later, may go further";
}

std::string next_report(const Subject& subject) {
  const Decision& decision = subject.decision;
  const ScalingSpec& spec = decision.spec;
  switch (what_is_unknown(decision)) {
    case Unknown::kNotReporting:
    case Unknown::kNoReportYet:
      return "That lasts until they report, at the latest until " +
             subject.clock(*decision.after.load_unknown_since + spec.rules.unknown_load_hold);
    case Unknown::kBeginning:
      return "That ends as soon as enough is known, at the latest at " +
             subject.clock(decision.after.fresh->since + spec.stable_window);
    case Unknown::kPanicWindow:
      return "That lasts until the last " + duration_text(spec.panic_window) + " are known";
    case Unknown::kStableWindow:
      if (!decision.is_valid) break;
      return "That lasts until nine tenths of the last " + duration_text(spec.stable_window) +
             " are known";
    default:
      break;
  }
  return "That lasts until a load is known again";
}

std::string next_removal(const Subject& subject) {
  const Decision& decision = subject.decision;
  if (is_first_starting(decision)) return next_ready_or_given_up(subject);
  if (decision.spec.min_scale > 0) return {};
  if (decision.rule == Rule::kGrace && is_bypassed(decision.spec, decision.seen)) return {};
  const auto end = end_of_stay(subject);
  return end ? "Without a request it is removed at " + subject.clock(*end) : std::string();
}

std::string next_request(const Subject& subject) {
  const std::string first = "The next request starts one";
  if (subject.idle_times.size() == 0) return first;
  const auto ahead = first_evaluation(subject, true);
  if (!ahead) return first;
  return first + ", and at " + subject.clock(*ahead) + " one starts ahead of it";
}

std::string next_by_policy(const Subject& subject) {
  const Decision& decision = subject.decision;
  if (!decision.seen.policy) return {};
  std::string text;
  for (const std::string& line : decision.spec.policies.ahead(*decision.seen.policy.get())) {
    text += (text.empty() ? "Next: " : "; ") + line;
  }
  return text;
}

}  // namespace bellows::autoscaler::explain
