#include "autoscaler/journal/rule_words.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "autoscaler/core/bounds.hpp"
#include "autoscaler/core/counted_text.hpp"
#include "autoscaler/core/load_answer.hpp"
#include "autoscaler/core/number_text.hpp"
#include "autoscaler/core/rate_limit.hpp"
#include "autoscaler/core/reason_text.hpp"
#include "autoscaler/journal/ask_words.hpp"
#include "autoscaler/journal/keep_words.hpp"
#include "autoscaler/journal/unknown_words.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::journal {
namespace {

std::string number(double value) {
  return rounded_number_text(value);
}

// Why.

std::string why_asked(const Subject& subject) {
  return met_ask_words(subject.decision, {subject.decision.want, subject.decision.rule});
}

std::string why_unknown(const Subject& subject) {
  return unknown_words(subject.decision) + what_stays_words(subject.decision);
}

std::string why_up_rate(const Subject& subject) {
  const Decision& decision = subject.decision;
  const PodCount allowed = up_rate_limit(decision.spec, decision.seen);
  const std::string rate = limited_ask_words(decision) + "max-scale-up-rate " +
                           number(decision.spec.max_scale_up_rate) + " allows no more than " +
                           std::to_string(allowed) + " at a time with " + counted_text(decision);
  if (decision.up_limit == allowed) return rate;
  return rate + ", so the " + std::to_string(decision.up_limit) +
         " stay that are requested already";
}

/// What there was when the rules that only raise it began, as far as the number.
std::string allowed_words(const Subject& subject) {
  const Decision& decision = subject.decision;
  const bool is_held = decision.is_valid && ask_of(decision).pods > decision.up_limit;
  return is_held ? why_up_rate(subject) + ", and " : limited_ask_words(decision);
}

std::string why_down_rate(const Subject& subject) {
  return allowed_words(subject) + "max-scale-down-rate " +
         number(subject.decision.spec.max_scale_down_rate) + " allows no fewer than " +
         std::to_string(subject.decision.down_limit) + " at a time";
}

std::string why_activation_scale(const Subject& subject) {
  return allowed_words(subject) + "activation-scale is " +
         std::to_string(subject.decision.spec.activation_scale);
}

std::string why_fresh(const Subject& subject) {
  const auto& fresh = subject.decision.after.fresh;
  const Decision& decision = subject.decision;
  const PodCount ask = ask_of(decision).pods;
  return "The autoscaler began" + (fresh ? " at " + subject.clock(fresh->since) : std::string()) +
         " and knows only " +
         known_text(decision.seen.stable.covered_seconds, decision.spec.stable_window) +
         ", so nothing is taken away yet; what it knows would take " +
         (ask == 0 ? "none" : std::to_string(ask));
}

std::string why_panic_hold(const Subject& subject) {
  const auto& panic = subject.decision.after.panic;
  return allowed_words(subject) + "since " + (panic ? subject.clock(panic->since) : "a moment") +
         " it is in panic mode, in which nothing goes down";
}

std::string why_glide(const Subject& subject) {
  const Decision& decision = subject.decision;
  return allowed_words(subject) + "more was asked for a moment ago, and that sinks little by " +
         "little (scale-down-smoothing-time " +
         duration_text(decision.spec.rules.scale_down_smoothing_time) + "): it has come to " +
         number(decision.after.glide.level);
}

std::string why_delay(const Subject& subject) {
  const Decision& decision = subject.decision;
  return allowed_words(subject) + std::to_string(decision.want) +
         (decision.want == 1 ? " was" : " were") + " wanted within the last " +
         duration_text(decision.spec.scale_down_delay) + " (scale-down-delay)";
}

std::string why_idle_clock(const Subject& subject) {
  return idle_words(subject.decision) + ", longer than idle-clock " +
         duration_text(subject.decision.spec.rules.idle_clock);
}

std::string why_initial_scale(const Subject& subject) {
  const PodCount first = scale_to_reach_once(subject.decision.spec, subject.decision.seen);
  const std::string them = first > 1 ? " " + replicas_text(first) : " replica";
  return "It has not had its first" + them + " ready yet (initial-scale)";
}

/// Who keeps the number up that max-scale was applied to.
std::string holder_words(const Decision& decision) {
  switch (decision.desired_rule) {
    case Rule::kNoData:
      return decision.is_valid ? "a load that is not known" : "what was wanted last";
    case Rule::kDownRate:
      return "max-scale-down-rate " + number(decision.spec.max_scale_down_rate);
    case Rule::kActivationScale:
      return "activation-scale";
    case Rule::kFreshStart:
      return "the beginning of the autoscaler";
    case Rule::kPanicHold:
      return "panic mode";
    case Rule::kGlide:
      return "what was asked for a moment ago";
    default:
      return "scale-down-delay " + duration_text(decision.spec.scale_down_delay);
  }
}

std::string why_min_scale(const Subject& subject) {
  const Decision& decision = subject.decision;
  const bool is_min_scale = decision.want == decision.spec.min_scale;
  return allowed_words(subject) +
         (is_min_scale ? "min-scale is " + std::to_string(decision.want) : "scale-to-zero is off");
}

std::string why_max_scale(const Subject& subject) {
  const Decision& decision = subject.decision;
  const Rule rule = decision.desired_rule;
  const std::string limit = "max-scale is " + std::to_string(decision.spec.max_scale);
  if (!is_hold(rule) || rule == Rule::kUpRate) return allowed_words(subject) + limit;
  return allowed_words(subject) + holder_words(decision) + " keeps it at " +
         std::to_string(decision.desired) + ", and " + limit;
}

std::string why_expected(const Subject& subject) {
  const auto gaps = gaps_words(subject.decision, subject.calls);
  const bool is_ahead = subject.decision.seen.requested == 0;
  return idle_words(subject.decision) + ", but by " + gaps.value_or("the gaps between calls") +
         " the next one is likely soon, so one replica " + (is_ahead ? "starts ahead" : "stays");
}

std::string why_last_replica(const Subject& subject) {
  const std::string idle = idle_words(subject.decision);
  if (subject.decision.spec.rules.keep_alive != config::KeepAlive::kLearned) {
    return idle + ", so none is needed, but the last replica stays a while";
  }
  return idle + " and no gap between calls is known to judge that by, so the last replica stays " +
         "for a window (" + duration_text(subject.decision.spec.stable_window) + ")";
}

std::string why_activating(const Subject&) {
  return "Nobody waits any more, but the first replica is still starting";
}

std::string why_probe(const Subject& subject) {
  return idle_words(subject.decision) +
         ", but the activator is not known to take calls yet, so the last replica stays";
}

std::string why_retention(const Subject& subject) {
  return idle_words(subject.decision) +
         ", but the last replica stays for scale-to-zero-pod-retention-period " +
         duration_text(subject.decision.spec.pod_retention);
}

std::string why_grace(const Subject& subject) {
  return idle_words(subject.decision) +
         ", but the last replica stays for scale-to-zero-grace-period " +
         duration_text(subject.decision.spec.scale_to_zero_grace_period);
}

/// Over, or never begun.
std::string why_zero(const Subject& subject) {
  if (is_given_up(subject.decision)) {
    return "Nobody waits any more, and " + given_up_text(subject.decision);
  }
  const std::string idle = idle_words(subject.decision);
  if (const auto gaps = gaps_words(subject.decision, subject.calls)) {
    return idle + ", and by " + *gaps + " none is likely soon enough to keep a replica for";
  }
  const bool is_over = subject.decision.rule == Rule::kToZero;
  return is_over ? idle + ", and the time that the last replica stays is over" : idle;
}

std::string why_retired(const Subject&) {
  return "It is retired and serves nothing any more";
}

// What happens next.

std::string nothing_next(const Subject&) {
  return {};
}

std::string next_panic(const Subject& subject) {
  if (subject.decision.panic_ratio <= 0) return {};
  return "Panic mode would begin at " + number(subject.decision.spec.panic_threshold) +
         " times what the replicas should carry; it is at " + number(subject.decision.panic_ratio);
}

std::string next_in_panic(const Subject& subject) {
  const Decision& decision = subject.decision;
  const TimePoint end = decision.after.panic->last_over + decision.spec.stable_window;
  if (decision.rule == Rule::kPanicHold) {
    return "Panic mode ends at " + subject.clock(end) +
           ", or later if the load rises like that again";
  }
  return "Nothing goes down before " + subject.clock(end) +
         ", and later if the load rises like that again";
}

std::string next_when_ready(const Subject& subject) {
  const auto& start = subject.decision.seen.start_time;
  const bool is_served = subject.decision.seen.observed > 0;
  if (!start || is_served) return {};
  return "A replica takes " + rounded_duration_text(*start) + " to start";
}

std::string next_turn(const Subject&) {
  return "The next decision, 2s later, may go further";
}

std::string next_informed(const Subject& subject) {
  const Decision& decision = subject.decision;
  if (!decision.after.fresh) return {};
  return "That ends as soon as enough is known, at the latest at " +
         subject.clock(decision.after.fresh->since + decision.spec.stable_window);
}

std::string next_known(const Subject& subject) {
  const Decision& decision = subject.decision;
  const ScalingSpec& spec = decision.spec;
  switch (what_is_unknown(decision)) {
    case Unknown::kSilent:
    case Unknown::kUnheard:
      return "That lasts until they report, at the latest until " +
             subject.clock(*decision.after.silent_since + spec.rules.unknown_load_hold);
    case Unknown::kBeginning:
      return next_informed(subject);
    case Unknown::kPanicWindow:
      return "That lasts until the last " + duration_text(spec.panic_window) + " are known";
    case Unknown::kStableWindow:
      if (!decision.is_valid) break;
      return "That lasts until nine tenths of the last " + duration_text(spec.stable_window) +
             " are known";
    default:
      break;
  }
  return "That lasts until something is known again";
}

std::string next_glide(const Subject&) {
  return "It goes down further with each decision, 2s apart, unless the load rises";
}

std::string next_delay(const Subject&) {
  return "It goes down once nothing more was wanted for that long";
}

std::string next_more(const Subject&) {
  return "More load changes nothing until max-scale is raised";
}

std::string next_ready_or_given_up(const Subject& subject) {
  const Duration deadline = subject.decision.spec.progress_deadline;
  const TimePoint end = subject.decision.after.activity.since + deadline;
  return "If it is not ready by " + subject.clock(end) + " (progress-deadline " +
         duration_text(deadline) + ") it is soon given up";
}

/// keep_alive.cpp's rule: nothing without a retention period.
std::optional<TimePoint> end_of_retention(const Decision& decision) {
  const ScalingSpec& spec = decision.spec;
  if (spec.pod_retention == Duration::zero() || !decision.seen.is_reachable) return std::nullopt;
  return decision.after.last_load + spec.stable_window + spec.pod_retention;
}

/// The later one of two ends; nothing: it is not known when.
std::optional<TimePoint> end_of_learned_stay(const Subject& subject) {
  const auto end = end_of_keeping(subject.decision, subject.calls);
  const auto retained = end_of_retention(subject.decision);
  return end && retained ? std::max(*end, *retained) : end;
}

/// When the last replica goes if nobody calls, as far as that is a matter of time.
std::optional<TimePoint> end_of_stay(const Subject& subject) {
  const Decision& decision = subject.decision;
  const ScalingSpec& spec = decision.spec;
  const TimePoint since = decision.after.activity.since;
  const bool is_learned = spec.rules.keep_alive == config::KeepAlive::kLearned;
  switch (decision.rule) {
    case Rule::kRetention:
      if (is_learned) return end_of_retention(decision);
      return since + std::max(spec.pod_retention, spec.scale_to_zero_grace_period);
    case Rule::kGrace:
      return since + spec.scale_to_zero_grace_period;
    default:
      if (is_learned) return end_of_learned_stay(subject);
      if (spec.rules.keep_alive == config::KeepAlive::kIdleClock) {
        return decision.after.last_load + spec.rules.idle_clock;
      }
      return since + spec.stable_window + spec.scale_to_zero_grace_period;
  }
}

std::string next_gone(const Subject& subject) {
  const auto end = end_of_stay(subject);
  return end ? "If nobody calls it goes at " + subject.clock(*end) : std::string();
}

std::string next_call(const Subject& subject) {
  const std::string first = "The first call starts one";
  const auto ahead = next_start_ahead(subject.decision, subject.calls);
  if (!ahead) return first;
  return first + ", and at " + subject.clock(*ahead) + " one is started ahead of the next";
}

struct Words {
  Rule rule;
  std::string (*why)(const Subject&);
  std::string (*next)(const Subject&);
};

constexpr std::array<Words, kRules> kWords = {{
    {Rule::kTarget, why_asked, next_panic},
    {Rule::kRise, why_asked, next_panic},
    {Rule::kLookAhead, why_asked, next_panic},
    {Rule::kPanicTarget, why_asked, nothing_next},
    {Rule::kCpu, why_asked, nothing_next},
    {Rule::kMemory, why_asked, nothing_next},
    {Rule::kBuffer, why_asked, next_panic},
    {Rule::kWaiting, why_asked, next_when_ready},
    {Rule::kNoData, why_unknown, next_known},
    {Rule::kDownRate, why_down_rate, next_turn},
    {Rule::kUpRate, why_up_rate, next_turn},
    {Rule::kActivationScale, why_activation_scale, nothing_next},
    {Rule::kFreshStart, why_fresh, next_informed},
    {Rule::kPanicHold, why_panic_hold, nothing_next},
    {Rule::kGlide, why_glide, next_glide},
    {Rule::kDelay, why_delay, next_delay},
    {Rule::kIdleClock, why_idle_clock, next_call},
    {Rule::kInitialScale, why_initial_scale, next_when_ready},
    {Rule::kMinScale, why_min_scale, next_panic},
    {Rule::kMaxScale, why_max_scale, next_more},
    {Rule::kExpected, why_expected, next_gone},
    {Rule::kLastReplica, why_last_replica, next_gone},
    {Rule::kActivating, why_activating, next_ready_or_given_up},
    {Rule::kProbe, why_probe, nothing_next},
    {Rule::kRetention, why_retention, next_gone},
    {Rule::kGrace, why_grace, next_gone},
    {Rule::kToZero, why_zero, next_call},
    {Rule::kAtZero, why_zero, next_call},
    {Rule::kRetired, why_retired, nothing_next},
}};

constexpr bool has_words_for_every_rule() {
  for (std::size_t i = 0; i < kRules; ++i) {
    const Words& words = kWords[i];
    const bool is_there = words.why != nullptr && words.next != nullptr;
    if (!is_there || static_cast<std::size_t>(words.rule) != i) return false;
  }
  return true;
}
static_assert(has_words_for_every_rule(), "a rule has no words, or not in its place");

const Words& words_of(const Decision& decision) {
  return kWords[static_cast<std::size_t>(decision.rule)];
}

}  // namespace

std::string why(const Subject& subject) {
  return words_of(subject.decision).why(subject);
}

std::string next(const Subject& subject) {
  const Rule rule = subject.decision.rule;
  const bool is_held_down = rule == Rule::kUpRate || rule == Rule::kMaxScale;
  if (subject.decision.after.panic && !is_held_down) return next_in_panic(subject);
  return words_of(subject.decision).next(subject);
}

}  // namespace bellows::autoscaler::journal
