#include "autoscaler/explain/reason.hpp"

#include "autoscaler/core/rules/load_demand.hpp"
#include "autoscaler/core/rules/scale_to_zero.hpp"
#include "autoscaler/explain/demand.hpp"
#include "autoscaler/explain/text.hpp"
#include "base/duration_text.hpp"

namespace bellows::autoscaler::explain {
namespace {

/// Returns the demand before any limit.
std::string unlimited(const Decision& decision) {
  if (decision.desired_rule == Rule::kPolicy) return brief_policy(decision);
  if (!decision.is_valid) return unknown_brief(decision);
  return demand_brief(decision, demand_of(decision));
}

/// Returns the replicas by which max-scale-up-rate was multiplied: "2 replicas ready", "none seen
/// within 1m, which counts as one".
std::string counted_text(const Decision& decision) {
  const bool is_seed = decision.spec.is_seed;
  const PodCount count = is_seed ? decision.seen.in_window : decision.seen.ready;
  const std::string how =
      is_seed ? "seen within " + duration_text(decision.spec.stable_window) : "ready";
  if (count == 0) return "none " + how + ", which counts as one";
  return replicas_text(count) + " " + how;
}

std::string up_rate(const Decision& decision) {
  return "limited to " + std::to_string(decision.up_limit) + " by max-scale-up-rate " +
         number_text(decision.spec.max_scale_up_rate) + " with " + counted_text(decision);
}

/// Returns the demand after max-scale-up-rate, which later rules only raise.
std::string allowed(const Decision& decision) {
  const bool is_by_load = decision.desired_rule != Rule::kPolicy;
  const bool is_limited =
      decision.is_valid && is_by_load && demand_of(decision).pods > decision.up_limit;
  return unlimited(decision) + (is_limited ? "; " + up_rate(decision) : std::string());
}

/// Returns the number of a rule between those that order replicas and the bounds.
std::string held(const Decision& decision, const DesiredReplicas& desired) {
  const std::string pods = std::to_string(desired.pods);
  const std::string kept = allowed(decision) + "; kept at " + pods;
  switch (desired.rule) {
    case Rule::kDownRate:
      return allowed(decision) + "; limited to " + std::to_string(decision.down_limit) +
             " by max-scale-down-rate " + number_text(decision.spec.max_scale_down_rate);
    case Rule::kActivationScale:
      return allowed(decision) + "; raised to " + pods + " by activation-scale";
    case Rule::kPanicHold:
      return kept + " by panic mode";
    case Rule::kDelay:
      return kept + " by scale-down-delay " + duration_text(decision.spec.scale_down_delay);
    case Rule::kNoData:
      return unknown_brief(decision) +
             (decision.rule == Rule::kNoData ? ": held" : "; kept at " + pods);
    default:
      return unlimited(decision) + "; " + up_rate(decision);
  }
}

std::string idle_brief(const Decision& decision) {
  const Observation& seen = decision.seen;
  if (seen.newest > 0 || seen.panic.total > 0) return "a request came just now";
  return "no request for " + rounded_duration_text(decision.at - decision.after.last_load);
}

/// Returns who set min-scale, if it was no setting.
std::string min_scale_by(const Decision& decision) {
  switch (decision.spec.min_scale_from) {
    case config::MinScaleFrom::kSetting:
      break;
    case config::MinScaleFrom::kDeploy:
      return "a deploy, which keeps what it started for one window";
    case config::MinScaleFrom::kSlowBrain:
      return "the slow brain, for loads that jump";
  }
  return {};
}

std::string kept_by_min_scale(const Decision& decision) {
  const std::string by = min_scale_by(decision);
  if (!by.empty()) return "but it is kept by " + by;
  return "but min-scale is " + std::to_string(decision.spec.min_scale);
}

/// Returns the reason that the last replica stays or is removed.
std::string last_replica(const Decision& decision) {
  const ScalingSpec& spec = decision.spec;
  const std::string stays = "the last replica stays for ";
  switch (decision.rule) {
    case Rule::kExpected:
      return "the idle times so far make a request soon likely";
    case Rule::kLastReplica:
      if (is_first_starting(decision)) return "but the first replica is still starting";
      return spec.min_scale > 0 ? kept_by_min_scale(decision)
                                : "the last replica is kept a while longer";
    case Rule::kGrace:
      if (is_bypassed(spec, decision.seen)) {
        return "but the activator is not confirmed in the path yet";
      }
      return stays + (is_retained(decision) ? "idle-time " + duration_text(spec.pod_retention) +
                                                  " (scale-to-zero-pod-retention-period)"
                                            : "scale-to-zero-grace-period " +
                                                  duration_text(spec.scale_to_zero_grace_period));
    default:
      break;
  }
  if (is_start_given_up(decision)) {
    return "the first replica was not ready within " + start_timeout_text(decision);
  }
  if (spec.rules.keep_alive == config::KeepAlive::kConstant) {
    return "longer than idle-clock " + duration_text(spec.rules.idle_clock);
  }
  const bool is_learned = spec.rules.keep_alive == config::KeepAlive::kLearned;
  return is_learned ? "a request soon is not likely enough to keep a replica"
                    : "scale-to-zero-grace-period included";
}

}  // namespace

std::string brief_demand(const Decision& decision) {
  return demand_brief(decision, {decision.replicas, decision.rule});
}

std::string brief_hold(const Decision& decision) {
  return held(decision, {decision.replicas, decision.rule});
}

std::string brief_initial_scale(const Decision& decision) {
  return "raised to " + std::to_string(decision.replicas) +
         " by initial-scale, which was not reached yet";
}

std::string brief_min_scale(const Decision& decision) {
  const std::string raised = allowed(decision) + "; raised to " + std::to_string(decision.replicas);
  if (decision.replicas != decision.spec.min_scale) return raised + " because scale-to-zero is off";
  const std::string by = min_scale_by(decision);
  return raised + " by " + (by.empty() ? "min-scale" : by);
}

std::string brief_max_scale(const Decision& decision) {
  const bool is_held = is_hold(decision.desired_rule);
  return (is_held ? held(decision, {decision.desired, decision.desired_rule})
                  : unlimited(decision)) +
         "; limited to " + std::to_string(decision.replicas) + " by max-scale";
}

std::string brief_idle(const Decision& decision) {
  return idle_brief(decision) + ", " + last_replica(decision);
}

std::string brief_machine_room(const Decision& decision) {
  const bool has_load = demand_of(decision).pods > 0;
  return (has_load ? allowed(decision) : idle_brief(decision)) + "; lowered to " +
         std::to_string(decision.replicas) +
         " because the machine is full and another service needs the room";
}

std::string brief_policy(const Decision& decision) {
  const PolicyOutcome* outcome = decision.policies.get();
  if (outcome == nullptr) return "a policy asks for it";
  if (outcome->winner >= 0) {
    const auto& winner = outcome->proposals[static_cast<std::size_t>(outcome->winner)];
    return "policy " + outcome->name + ": " + winner.reason;
  }
  std::string reasons;
  for (const Proposal& proposal : outcome->proposals) {
    reasons += (reasons.empty() ? "" : "; ") + proposal.reason;
  }
  return "no policy can say: " + reasons + ": held";
}

std::string brief_occupied(const Decision& decision) {
  const PolicySeen* seen = decision.seen.policy.get();
  const PodCount unreported = seen != nullptr ? seen->unreported : 0;
  const PodCount occupied = seen != nullptr ? seen->kept - unreported : 0;
  const std::string otherwise = "; without that it would be " + std::to_string(decision.bounded);
  const std::string busy = replicas_text(occupied) + (occupied == 1 ? " is" : " are") + " occupied";
  if (unreported == 0) return busy + " and not removed" + otherwise;
  return (occupied > 0 ? busy + ", " : "") + replicas_text(unreported) +
         (unreported == 1 ? " has" : " have") + " not reported yet: not removed" + otherwise;
}

}  // namespace bellows::autoscaler::explain
