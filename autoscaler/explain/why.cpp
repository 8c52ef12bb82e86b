#include "autoscaler/explain/why.hpp"

#include "autoscaler/core/rules/bounds.hpp"
#include "autoscaler/core/rules/load_demand.hpp"
#include "autoscaler/core/rules/scale_to_zero.hpp"
#include "autoscaler/explain/demand.hpp"
#include "autoscaler/explain/idle.hpp"
#include "autoscaler/explain/policy.hpp"
#include "autoscaler/explain/text.hpp"
#include "autoscaler/explain/unknown.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

/// Returns the demand after max-scale-up-rate as the begin of a sentence, which ends before its
/// number.
std::string load_clause(const Subject& subject) {
  const Decision& decision = subject.decision;
  if (decision.desired_rule == Rule::kPolicy) return brief_policy(decision) + ", but ";
  const bool is_limited = decision.is_valid && demand_of(decision).pods > decision.up_limit;
  return is_limited ? why_up_rate(subject) + ", and " : limited_demand(decision);
}

/// Returns the cause that kept up the number to which max-scale was applied.
std::string holder(const Decision& decision) {
  switch (decision.desired_rule) {
    case Rule::kNoData:
      return decision.is_valid ? "an unknown load" : "the last decision";
    case Rule::kDownRate:
      return "max-scale-down-rate " + number_text(decision.spec.max_scale_down_rate);
    case Rule::kActivationScale:
      return "activation-scale";
    case Rule::kPanicHold:
      return "panic mode";
    default:
      return "scale-down-delay " + duration_text(decision.spec.scale_down_delay);
  }
}

}  // namespace

std::string why_demand(const Subject& subject) {
  return met_demand(subject.decision, {subject.decision.replicas, subject.decision.rule});
}

std::string why_no_data(const Subject& subject) {
  return unknown_sentence(subject.decision) + unknown_consequence(subject.decision);
}

std::string why_up_rate(const Subject& subject) {
  const Decision& decision = subject.decision;
  return limited_demand(decision) + "max-scale-up-rate " +
         number_text(decision.spec.max_scale_up_rate) + " allows no more than " +
         std::to_string(decision.up_limit) + " at a time with " + counted_text(decision);
}

std::string why_down_rate(const Subject& subject) {
  return load_clause(subject) + "max-scale-down-rate " +
         number_text(subject.decision.spec.max_scale_down_rate) + " allows no fewer than " +
         std::to_string(subject.decision.down_limit) + " at a time";
}

std::string why_activation_scale(const Subject& subject) {
  return load_clause(subject) + "activation-scale is " +
         std::to_string(subject.decision.spec.activation_scale);
}

std::string why_panic_hold(const Subject& subject) {
  const auto& panic = subject.decision.after.panic;
  return load_clause(subject) + (panic ? "since " + subject.clock(panic->since) + " " : "") +
         "it is in panic mode, in which nothing scales down";
}

std::string why_delay(const Subject& subject) {
  const Decision& decision = subject.decision;
  return load_clause(subject) + std::to_string(decision.replicas) +
         (decision.replicas == 1 ? " was" : " were") + " needed within the last " +
         duration_text(decision.spec.scale_down_delay) + " (scale-down-delay)";
}

std::string why_initial_scale(const Subject& subject) {
  const PodCount first = scale_to_reach_once(subject.decision.spec, subject.decision.seen);
  return "Its first " + (first > 1 ? replicas_text(first) + " have" : "replica has") +
         " not been ready yet (initial-scale)";
}

std::string why_min_scale(const Subject& subject) {
  const Decision& decision = subject.decision;
  const std::string kept = replicas_text(decision.replicas);
  const std::string because = load_clause(subject);
  if (decision.replicas != decision.spec.min_scale) return because + "scale-to-zero is off";
  switch (decision.spec.min_scale_from) {
    case config::MinScaleFrom::kSetting:
      break;
    case config::MinScaleFrom::kDeploy:
      return because + "a deploy started it with " + kept + ", and keeps them for one window";
    case config::MinScaleFrom::kSlowBrain:
      return because + "the slow brain keeps " + kept + " for loads that jump";
  }
  return because + "min-scale is " + std::to_string(decision.replicas);
}

std::string why_max_scale(const Subject& subject) {
  const Decision& decision = subject.decision;
  const Rule rule = decision.desired_rule;
  const std::string limit = "max-scale is " + std::to_string(decision.spec.max_scale);
  if (!is_hold(rule) || rule == Rule::kUpRate) return load_clause(subject) + limit;
  return load_clause(subject) + holder(decision) + " keeps it at " +
         std::to_string(decision.desired) + ", and " + limit;
}

std::string why_expected(const Subject& subject) {
  const auto idle_times = idle_times_text(subject.decision, subject.idle_times);
  const bool is_ahead = subject.decision.seen.requested == 0;
  return idle_sentence(subject.decision) + ", but by " +
         idle_times.value_or("its idle times so far") + " the next one is likely soon, so " +
         (is_ahead ? "one replica starts ahead" : "the last replica stays");
}

std::string why_last_replica(const Subject& subject) {
  if (is_first_starting(subject.decision)) {
    return "No request waits any more, but the first replica is still starting";
  }
  const ScalingSpec& spec = subject.decision.spec;
  const std::string idle = idle_sentence(subject.decision);
  if (spec.min_scale > 0) {
    return idle + ", so no replica is needed, but min-scale is " + std::to_string(spec.min_scale);
  }
  if (spec.rules.keep_alive != config::KeepAlive::kLearned) {
    return idle + ", so no replica is needed, but the last one is kept a while longer";
  }
  const auto idle_times = idle_times_text(subject.decision, subject.idle_times);
  const std::string unpredictable = idle_times ? " and no rhythm shows in " + *idle_times
                                               : " and no idle time is known to predict the next";
  return idle + unpredictable + ", so the last replica stays for a " + "window (" +
         duration_text(subject.decision.spec.stable_window) + ")";
}

std::string why_grace(const Subject& subject) {
  const Decision& decision = subject.decision;
  const ScalingSpec& spec = decision.spec;
  const std::string idle = idle_sentence(decision) + ", but ";
  if (is_bypassed(spec, decision.seen)) {
    return idle +
           "the activator is not confirmed in the path yet, so the last replica stays "
           "(`bellows status` shows the cause)";
  }
  return idle + "the last replica stays for scale-to-zero-" +
         (is_retained(decision) ? "pod-retention-period " + duration_text(spec.pod_retention)
                                : "grace-period " + duration_text(spec.scale_to_zero_grace_period));
}

std::string why_zero(const Subject& subject) {
  const Decision& decision = subject.decision;
  if (is_start_given_up(decision)) {
    return "No request waits any more, and the first replica was not ready within " +
           start_timeout_text(decision);
  }
  const std::string idle = idle_sentence(decision);
  const bool is_constant = decision.spec.rules.keep_alive == config::KeepAlive::kConstant;
  if (is_constant && decision.rule == Rule::kToZero) return idle + ", " + over_idle_clock(decision);
  if (const auto idle_times = idle_times_text(decision, subject.idle_times)) {
    return idle + ", and by " + *idle_times + " none is likely soon enough to keep a replica";
  }
  const bool is_over = decision.rule == Rule::kToZero;
  return is_over ? idle + ", and the time that the last replica stays is over" : idle;
}

std::string why_machine_room(const Subject& subject) {
  const Decision& decision = subject.decision;
  const PodCount needed = demand_of(decision).pods;
  const std::string load = needed == 0 ? idle_sentence(decision) + ", so no replica is needed"
                                       : met_demand(decision, demand_of(decision));
  return load + "; kept replicas were removed because the machine is full and the next replica " +
         "of a busier service would not fit (`bellows status` names it)";
}

std::string why_paused(const Subject& subject) {
  const std::string paused = "It is paused, so the number of replicas stays as it is";
  if (!subject.decision.is_valid) return paused;
  const PodCount demand = demand_of(subject.decision).pods;
  return paused + "; the known load would take " + (demand == 0 ? "none" : std::to_string(demand));
}

}  // namespace bellows::autoscaler::explain
