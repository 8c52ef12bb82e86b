#include "autoscaler/journal/explanation.hpp"

#include <algorithm>
#include <optional>

#include "autoscaler/core/bounds.hpp"
#include "autoscaler/core/number_text.hpp"
#include "autoscaler/core/reason_text.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::journal {
namespace {

std::string number(double value) {
  return rounded_number_text(value);
}

std::string are(PodCount count) {
  if (count == 0) return "none is";
  return std::to_string(count) + (count == 1 ? " is" : " are");
}

/// "12.5 requests in flight on average", "80 requests a second".
std::string load_words(double load, const ScalingSpec& spec) {
  const bool is_rps = spec.metric == config::Metric::kRps;
  return number(load) + (is_rps ? " requests a second" : " requests in flight on average");
}

bool is_of_panic_window(const Decision& decision) {
  return decision.mode == Mode::kPanic && decision.panic_answer > decision.stable_answer;
}

/// Replicas that the load alone would take.
PodCount answer_of(const Decision& decision) {
  return is_of_panic_window(decision) ? decision.panic_answer : decision.stable_answer;
}

/// What was seen: "Over the last 6s it had 31.2 requests in flight on average, and one replica
/// should carry 7".
std::string load_clause(const Decision& decision) {
  const bool is_short = is_of_panic_window(decision);
  const WindowLoad& load = is_short ? decision.seen.panic : decision.seen.stable;
  const Duration window = is_short ? decision.spec.panic_window : decision.spec.stable_window;
  const bool is_per_pod = decision.spec.rules.observed_load == config::ObservedLoad::kMeanPerPod;
  std::string text = "Over the last " + duration_text(window);
  text += is_per_pod ? " each replica had " + load_words(load.per_pod, decision.spec)
                     : " it had " + load_words(load.total, decision.spec);
  return text + ", and one replica should carry " + number(decision.spec.target);
}

/// "..., which would take 5 replicas, but ".
std::string load_but(const Decision& decision) {
  return load_clause(decision) + ", which would take " + replicas_text(answer_of(decision)) +
         ", but ";
}

/// Since the last request, in whole seconds.
std::string idle_for(const Decision& decision) {
  return duration_text(
      std::chrono::round<std::chrono::seconds>(decision.at - decision.after.last_load));
}

std::string usage_clause(const char* what, const std::optional<double>& usage, double target,
                         const Decision& decision) {
  return "The replicas use " + number(usage.value_or(0) * 100) + " % of the " + what +
         " they ask for and should use " + number(target * 100) +
         " %; their requests alone would take " + std::to_string(answer_of(decision));
}

std::string waiting_clause(const Decision& decision) {
  const std::uint64_t waiting = decision.seen.waiting;
  return std::to_string(waiting) + (waiting == 1 ? " request waits" : " requests wait") +
         " and no replica serves yet; one should carry " + number(decision.spec.target);
}

std::string unknown_clause(const Decision& decision) {
  const Observation& seen = decision.seen;
  if (seen.problem == Problem::kNoPodCount) return "The replicas could not be counted";
  if (seen.problem == Problem::kNoMetrics) return "The load could not be had";
  if (seen.silent > 0) {
    return replicas_text(seen.silent) + " of " + std::to_string(seen.ready) +
           " ready ones did not report, so their load is not known and they stay";
  }
  return "Only " + std::to_string(seen.stable.covered_seconds) + "s of the last " +
         duration_text(decision.spec.stable_window) + " are known, so nothing is taken away";
}

std::string panic_clause(const Decision& decision, const ClockText& clock) {
  const auto& panic = decision.after.panic;
  return load_but(decision) + "since " + (panic ? clock(panic->since) : "a moment") +
         " it is in panic mode, in which nothing goes down";
}

std::string fresh_clause(const Decision& decision, const ClockText& clock) {
  const auto& fresh = decision.after.fresh;
  return load_but(decision) + "the autoscaler began" +
         (fresh ? " at " + clock(fresh->since) : std::string()) + " and knows only " +
         std::to_string(decision.seen.stable.covered_seconds) + "s of the last " +
         duration_text(decision.spec.stable_window) + ", so nothing is taken away yet";
}

std::string least_clause(const Decision& decision) {
  const bool is_min_scale = decision.want == decision.spec.min_scale;
  return load_but(decision) +
         (is_min_scale ? "min-scale is " + std::to_string(decision.want) : "scale-to-zero is off");
}

/// Rules about a load that is too large or too small for something.
std::optional<std::string> limit_clause(const Decision& decision, const ClockText& clock) {
  const ScalingSpec& spec = decision.spec;
  switch (decision.rule) {
    case Rule::kBuffer:
      return load_clause(decision) + ", which takes " + std::to_string(answer_of(decision)) +
             "; buffer adds " + std::to_string(spec.rules.buffer);
    case Rule::kUpRate:
      return load_but(decision) + "max-scale-up-rate " + number(spec.max_scale_up_rate) +
             " allows no more than " + std::to_string(decision.up_limit) + " at a time";
    case Rule::kDownRate:
      return load_but(decision) + "max-scale-down-rate " + number(spec.max_scale_down_rate) +
             " allows no fewer than " + std::to_string(decision.down_limit) + " at a time";
    case Rule::kActivationScale:
      return load_but(decision) + "activation-scale is " + std::to_string(spec.activation_scale);
    case Rule::kDelay:
      return load_but(decision) + "more was wanted within the last " +
             duration_text(spec.scale_down_delay) + " (scale-down-delay)";
    case Rule::kMaxScale:
      return load_but(decision) + "max-scale is " + std::to_string(spec.max_scale);
    case Rule::kMinScale:
      return least_clause(decision);
    case Rule::kPanicHold:
      return panic_clause(decision, clock);
    case Rule::kFreshStart:
      return fresh_clause(decision, clock);
    case Rule::kInitialScale:
      return "It has not had its first " + replicas_text(scale_to_reach_once(spec)) +
             " ready yet (initial-scale)";
    default:
      return std::nullopt;
  }
}

/// Rules about the way to zero.
std::optional<std::string> zero_clause(const Decision& decision) {
  const std::string idle = "Nobody has called for " + idle_for(decision);
  switch (decision.rule) {
    case Rule::kLastReplica:
      return idle + ", so none is needed, but the last replica stays a while";
    case Rule::kActivating:
      return "Nobody waits any more, but the first replica is still starting";
    case Rule::kProbe:
      return idle + ", but the activator is not known to take calls yet, so the last replica stays";
    case Rule::kRetention:
      return idle + ", but the last replica stays for scale-to-zero-pod-retention-period " +
             duration_text(decision.spec.pod_retention);
    case Rule::kGrace:
      return idle + ", but the last replica stays for scale-to-zero-grace-period " +
             duration_text(decision.spec.scale_to_zero_grace_period);
    case Rule::kIdleClock:
      return idle + ", longer than idle-clock " + duration_text(decision.spec.rules.idle_clock);
    case Rule::kToZero:
      return idle + ", and the time that the last replica stays is over";
    case Rule::kAtZero:
      return "Nobody calls";
    case Rule::kRetired:
      return "It is retired and serves nothing any more";
    default:
      return std::nullopt;
  }
}

/// What was seen, and which rule bound.
std::string why(const Decision& decision, const ClockText& clock) {
  switch (decision.rule) {
    case Rule::kTarget:
      return load_clause(decision) + ", which takes " + std::to_string(decision.want);
    case Rule::kPanicTarget:
      return load_clause(decision) + ", which takes " + std::to_string(decision.want) +
             "; it is in panic mode, so the short window counts (the last " +
             duration_text(decision.spec.stable_window) + " alone would take " +
             std::to_string(decision.stable_answer) + ")";
    case Rule::kCpu:
      return usage_clause("CPU", decision.seen.cpu, decision.spec.cpu_target, decision);
    case Rule::kMemory:
      return usage_clause("memory", decision.seen.memory, decision.spec.memory_target, decision);
    case Rule::kWaiting:
      return waiting_clause(decision);
    case Rule::kNoData:
      return unknown_clause(decision);
    default:
      break;
  }
  if (const auto limit = limit_clause(decision, clock)) return *limit;
  if (const auto zero = zero_clause(decision)) return *zero;
  return "Because " + because(decision);
}

/// When the last replica goes if nobody calls, as far as that is a matter of time.
std::optional<TimePoint> end_of_stay(const Decision& decision) {
  const Activity& activity = decision.after.activity;
  const ScalingSpec& spec = decision.spec;
  switch (decision.rule) {
    case Rule::kRetention:
      return activity.since + std::max(spec.pod_retention, spec.scale_to_zero_grace_period);
    case Rule::kGrace:
      return activity.since + spec.scale_to_zero_grace_period;
    case Rule::kLastReplica:
      if (spec.rules.keep_alive == config::KeepAlive::kIdleClock) {
        return decision.after.last_load + spec.rules.idle_clock;
      }
      if (spec.rules.keep_alive == config::KeepAlive::kLearned) {
        return decision.after.last_load + spec.stable_window;
      }
      return activity.since + spec.stable_window + spec.scale_to_zero_grace_period;
    default:
      return std::nullopt;
  }
}

std::string next_in_panic(const Decision& decision, const ClockText& clock) {
  const TimePoint end = decision.after.panic->last_over + decision.spec.stable_window;
  if (decision.rule == Rule::kPanicHold) {
    return "Panic mode ends at " + clock(end) + ", or later if the load rises like that again";
  }
  return "Nothing goes down before " + clock(end) + ", and later if the load rises like that again";
}

/// What happens next; empty if there is nothing to say.
std::string next(const Decision& decision, const ClockText& clock) {
  if (decision.after.panic) return next_in_panic(decision, clock);
  if (const auto end = end_of_stay(decision)) {
    return "If nobody calls it goes at " + clock(*end);
  }
  const ScalingSpec& spec = decision.spec;
  switch (decision.rule) {
    case Rule::kMaxScale:
      return "More load changes nothing until max-scale is raised";
    case Rule::kUpRate:
    case Rule::kDownRate:
      return "The next decision, 2s later, may go further";
    case Rule::kDelay:
      return "It goes down once nothing more was wanted for that long";
    case Rule::kFreshStart:
      if (!decision.after.fresh) return {};
      return "That ends as soon as enough is known, at the latest at " +
             clock(decision.after.fresh->since + spec.stable_window);
    case Rule::kNoData:
      if (!decision.after.silent_since) return "That lasts until something is known again";
      return "That lasts until they report, at the latest until " +
             clock(*decision.after.silent_since + spec.rules.unknown_load_hold);
    case Rule::kAtZero:
    case Rule::kToZero:
    case Rule::kIdleClock:
      return "The first call starts one";
    case Rule::kTarget:
    case Rule::kMinScale:
      return "Panic mode would begin at " + number(spec.panic_threshold) +
             " times what the replicas should carry; it is at " + number(decision.panic_ratio);
    default:
      return {};
  }
}

/// The first of the decisions at the end that want the same number.
std::size_t since(std::span<const Decision> decisions) {
  std::size_t first = decisions.size() - 1;
  while (first > 0 && decisions[first - 1].want == decisions.back().want) --first;
  return first;
}

std::string state_of(const std::string& service, std::span<const Decision> decisions,
                     const ClockText& clock) {
  const Decision& last = decisions.back();
  const std::size_t first = since(decisions);
  std::string text = service + " should have " +
                     (last.want == 0 ? "no replicas" : replicas_text(last.want)) + ", since " +
                     clock(decisions[first].at) + (first == 0 ? " or longer" : "") + "; " +
                     are(last.seen.ready) + " ready";
  if (last.seen.starting > 0) text += ", " + are(last.seen.starting) + " starting";
  return text;
}

}  // namespace

std::string explanation(const std::string& service, std::span<const Decision> decisions,
                        const ClockText& clock) {
  const Decision& last = decisions.back();
  std::string text = state_of(service, decisions, clock) + ". " + why(last, clock) + ".";
  const std::string what_next = next(last, clock);
  return what_next.empty() ? text : text + " " + what_next + ".";
}

}  // namespace bellows::autoscaler::journal
