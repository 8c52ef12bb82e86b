#include "autoscaler/core/reason_text.hpp"

#include <algorithm>

#include "autoscaler/core/counted_pods.hpp"
#include "autoscaler/core/counted_text.hpp"
#include "autoscaler/core/headroom.hpp"
#include "autoscaler/core/load_answer.hpp"
#include "autoscaler/core/number_text.hpp"
#include "autoscaler/core/rate_limit.hpp"
#include "autoscaler/core/scale_to_zero.hpp"
#include "autoscaler/core/unknown_load.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler {
namespace {

std::string number(double value) {
  return rounded_number_text(value);
}

std::string replicas(PodCount count) {
  return replicas_text(count);
}

/// Load and room as square-root headroom adds them up.
std::string sum_with_room(const std::string& what, double load, double replicas,
                          const ScalingSpec& spec, PodCount pods) {
  const double slots = replicas * spec.total;
  std::string text = what + " + " + number(std::max(0.0, slots - load)) +
                     " headroom = " + number(slots) + " / " + number(spec.total) + " = " +
                     number(replicas);
  const std::string whole = std::to_string(pods);
  if (number(replicas) != whole) text += " -> " + whole;
  return text;
}

std::string quotient(const std::string& what, double load, const ScalingSpec& spec, PodCount pods) {
  const std::string exact = number(load / spec.target);
  std::string text = what + " / target " + number(spec.target) + " = " + exact;
  const std::string whole = std::to_string(pods);
  if (exact != whole) text += " -> " + whole;
  return text;
}

/// What the load of the stable window or, as rule panic-target, of the panic window asks for.
std::string load_clause(const Decision& decision, Rule rule) {
  const bool is_panic = rule == Rule::kPanicTarget;
  const WindowLoad& load = is_panic ? decision.seen.panic : decision.seen.stable;
  const Duration window = is_panic ? decision.spec.panic_window : decision.spec.stable_window;
  const PodCount pods = is_panic ? decision.panic_answer : decision.stable_answer;
  const bool is_rps = decision.spec.metric == config::Metric::kRps;
  const std::string unit = is_rps ? " requests/s over " : " in flight over ";
  if (decision.spec.rules.observed_load == config::ObservedLoad::kMeanPerPod) {
    const PodCount counted = counted_pods(decision.spec, decision.seen);
    const std::string share = number(load.per_pod) + (is_rps ? " requests/s" : " in flight") +
                              " a replica over " + duration_text(window) + " x " +
                              std::to_string(counted);
    return quotient(share, load.per_pod * counted, decision.spec, pods);
  }
  const std::string what = number(load.total) + unit + duration_text(window);
  if (decision.spec.rules.headroom == config::Headroom::kSquareRoot && load.total > 0) {
    const double amount = replicas_for(decision.spec, load.total, planned_spread(decision));
    return sum_with_room(what, load.total, amount, decision.spec, pods);
  }
  return quotient(what, load.total, decision.spec, pods);
}

std::string waiting_clause(const Decision& decision) {
  const Observation& seen = decision.seen;
  const auto waiting = static_cast<double>(seen.waiting);
  const std::string who = number(waiting) + " waiting ";
  if (seen.observed > 0) {
    return who + "beside " + replicas(seen.observed) + " that serve" +
           (seen.observed == 1 ? "s" : "") + ", one stays for them";
  }
  const std::string alone =
      who + (seen.ready > 0 ? "while no ready one reports" : "while nobody serves");
  if (decision.spec.rules.first_replicas == config::FirstReplicas::kOne) {
    return alone + ", one is asked for whatever waits (first-replicas one)";
  }
  return quotient(alone, waiting, decision.spec, pods_for_waiting(decision.spec, seen));
}

std::string usage_clause(const char* what, const std::optional<double>& usage, double target,
                         PodCount pods) {
  return number(usage.value_or(0) * 100) + " % of the " + what + " used / target " +
         number(target * 100) + " % -> " + std::to_string(pods);
}

std::string rise_clause(const Decision& decision, PodCount pods) {
  return load_clause(decision, Rule::kTarget) + ", " + number(decision.seen.panic.total) +
         " over " + duration_text(decision.spec.panic_window) + " and " +
         number(decision.seen.newest) + " in the newest second prove more -> " +
         std::to_string(pods);
}

std::string ahead_clause(const Decision& decision, PodCount pods) {
  const Duration start = decision.seen.start_time.value_or(Duration::zero());
  return load_clause(decision, Rule::kTarget) + ", it grows while a replica starts (" +
         rounded_duration_text(start) + ") -> " + std::to_string(pods);
}

std::string ask_clause(const Decision& decision, const Answer& ask);

std::string buffer_clause(const Decision& decision, PodCount pods) {
  ScalingSpec spec = decision.spec;
  spec.rules.buffer = 0;
  return ask_clause(decision, load_answer(decision, spec, decision.after)) + ", and buffer " +
         std::to_string(decision.spec.rules.buffer) + " -> " + std::to_string(pods);
}

/// What asks for the most, before any limit.
std::string ask_clause(const Decision& decision, const Answer& ask) {
  switch (ask.rule) {
    case Rule::kRise:
      return rise_clause(decision, ask.pods);
    case Rule::kLookAhead:
      return ahead_clause(decision, ask.pods);
    case Rule::kCpu:
      return usage_clause("CPU", decision.seen.cpu, decision.spec.cpu_target, ask.pods);
    case Rule::kMemory:
      return usage_clause("memory", decision.seen.memory, decision.spec.memory_target, ask.pods);
    case Rule::kBuffer:
      return buffer_clause(decision, ask.pods);
    case Rule::kWaiting:
      return waiting_clause(decision);
    default:
      return load_clause(decision, ask.rule);
  }
}

/// Since the last request that is known of.
std::string idle_clause(const Decision& decision) {
  return "no load for " + rounded_duration_text(decision.at - decision.after.last_load);
}

/// What a decision does not know.
std::string unknown_clause(const Decision& decision) {
  const Observation& seen = decision.seen;
  const std::string stable = known_text(seen.stable.covered_seconds, decision.spec.stable_window);
  switch (what_is_unknown(decision)) {
    case Unknown::kPodCount:
      return "the replicas could not be counted";
    case Unknown::kMetrics:
      return "the load could not be had";
    case Unknown::kSilent:
      return "the load of " + replicas(seen.silent) + " is unknown";
    case Unknown::kUnheard:
      return "none has served yet, the load is unknown";
    case Unknown::kBeginning:
      return "it began " + whole_seconds_text(decision.at - decision.after.fresh->since) +
             " ago and knows " + stable;
    case Unknown::kPanicWindow:
      return "only " + known_text(seen.panic.covered_seconds, decision.spec.panic_window) +
             " are known";
    case Unknown::kStableWindow:
      return "only " + stable + " are known";
  }
  return {};
}

/// What there would have been without any limit.
std::string base_clause(const Decision& decision) {
  if (!decision.is_valid) return unknown_clause(decision);
  return ask_clause(decision, ask_of(decision));
}

std::string stays_clause(const Decision& decision) {
  switch (decision.rule) {
    case Rule::kLastReplica:
      return ", the last replica stays a while";
    case Rule::kActivating:
      return ", but the first replica is still starting";
    case Rule::kProbe:
      return ", but the activator does not answer yet";
    case Rule::kRetention:
      return ", the last replica stays for scale-to-zero-pod-retention-period " +
             duration_text(decision.spec.pod_retention);
    case Rule::kGrace:
      return ", the last replica stays for scale-to-zero-grace-period " +
             duration_text(decision.spec.scale_to_zero_grace_period);
    case Rule::kIdleClock:
      return ", longer than idle-clock " + duration_text(decision.spec.rules.idle_clock);
    default:
      break;
  }
  if (is_given_up(decision)) {
    return ", " + given_up_text(decision);
  }
  const bool is_learned = decision.spec.rules.keep_alive == config::KeepAlive::kLearned;
  return is_learned ? ", a call soon is not likely enough to keep one" : ", grace time included";
}

std::string fresh_clause(const Decision& decision) {
  return "until more is known (" + std::to_string(decision.seen.stable.covered_seconds) + "s of " +
         duration_text(decision.spec.stable_window) + ", " + replicas(decision.seen.silent) +
         " silent)";
}

std::string up_rate_clause(const Decision& decision) {
  const PodCount allowed = up_rate_limit(decision.spec, decision.seen);
  const std::string limit = std::to_string(decision.up_limit);
  const std::string rate = "max-scale-up-rate " + number(decision.spec.max_scale_up_rate) +
                           " with " + counted_text(decision);
  if (decision.up_limit == allowed) return "held to " + limit + " by " + rate;
  return "held to the " + limit + " requested already (" + rate + " allows " +
         std::to_string(allowed) + ")";
}

std::string down_rate_clause(const Decision& decision) {
  return "held to " + std::to_string(decision.down_limit) + " by max-scale-down-rate " +
         number(decision.spec.max_scale_down_rate);
}

/// What there was when the rules that only raise it began.
std::string allowed_clause(const Decision& decision) {
  const bool is_held = decision.is_valid && ask_of(decision).pods > decision.up_limit;
  return base_clause(decision) + (is_held ? ", " + up_rate_clause(decision) : std::string());
}

/// What a rule between those that ask and the bounds makes of it.
std::string hold_clause(const Decision& decision, const Answer& answer) {
  const std::string pods = std::to_string(answer.pods);
  const std::string allowed = allowed_clause(decision);
  switch (answer.rule) {
    case Rule::kDownRate:
      return allowed + ", " + down_rate_clause(decision);
    case Rule::kActivationScale:
      return allowed + ", raised to " + pods + " by activation-scale";
    case Rule::kFreshStart:
      return allowed + ", kept at " + pods + " " + fresh_clause(decision);
    case Rule::kPanicHold:
      return allowed + ", kept at " + pods + " by panic mode";
    case Rule::kGlide:
      return allowed + ", falling little by little to it: " + pods;
    case Rule::kDelay:
      return allowed + ", kept at " + pods + " by scale-down-delay " +
             duration_text(decision.spec.scale_down_delay);
    case Rule::kNoData:
      return unknown_clause(decision) +
             (decision.rule == Rule::kNoData ? ": held" : ", kept at " + pods);
    default:
      return base_clause(decision) + ", " + up_rate_clause(decision);
  }
}

/// What max-scale was applied to.
std::string unbounded_clause(const Decision& decision) {
  if (!is_hold(decision.desired_rule)) return base_clause(decision);
  return hold_clause(decision, {decision.desired, decision.desired_rule});
}

std::string min_scale_clause(const Decision& decision) {
  const bool is_min_scale = decision.want == decision.spec.min_scale;
  return "raised to " + std::to_string(decision.want) +
         (is_min_scale ? " by min-scale" : " because scale-to-zero is off");
}

}  // namespace

// With keep-alive window 0 is final only once inactive, for a grace time at least; it has become
// inactive just now if it was activating before.
std::string given_up_text(const Decision& decision) {
  return "the first replica was not ready within progress-deadline " +
         duration_text(decision.spec.progress_deadline) + " and " + duration_text(kProgressSlack) +
         " more";
}

bool is_given_up(const Decision& decision) {
  const bool is_by_window = decision.spec.rules.keep_alive == config::KeepAlive::kWindow;
  return is_by_window && decision.rule == Rule::kToZero &&
         decision.after.activity.since == decision.at;
}

std::string because(const Decision& decision) {
  const std::string pods = std::to_string(decision.want);
  switch (decision.rule) {
    case Rule::kTarget:
    case Rule::kRise:
    case Rule::kLookAhead:
    case Rule::kPanicTarget:
    case Rule::kCpu:
    case Rule::kMemory:
    case Rule::kBuffer:
    case Rule::kWaiting:
      return ask_clause(decision, {decision.want, decision.rule});
    case Rule::kExpected:
      return idle_clause(decision) + ", a call is likely soon by the gaps between the last ones";
    case Rule::kNoData:
    case Rule::kDownRate:
    case Rule::kUpRate:
    case Rule::kActivationScale:
    case Rule::kFreshStart:
    case Rule::kPanicHold:
    case Rule::kGlide:
    case Rule::kDelay:
      return hold_clause(decision, {decision.want, decision.rule});
    case Rule::kInitialScale:
      return "raised to " + pods + " by initial-scale, which it has not reached yet";
    case Rule::kLastReplica:
    case Rule::kActivating:
    case Rule::kProbe:
    case Rule::kRetention:
    case Rule::kGrace:
    case Rule::kToZero:
    case Rule::kIdleClock:
      return idle_clause(decision) + stays_clause(decision);
    case Rule::kAtZero:
      return "nobody calls";
    case Rule::kMinScale:
      return allowed_clause(decision) + ", " + min_scale_clause(decision);
    case Rule::kMaxScale:
      return unbounded_clause(decision) + ", held to " + pods + " by max-scale";
    case Rule::kRetired:
      return "it is retired";
  }
  return {};
}

std::string reason_text(const Decision& decision) {
  return std::to_string(decision.want) + " because " + because(decision);
}

}  // namespace bellows::autoscaler
