#include "cluster/kubernetes/core/conditions.hpp"

#include <algorithm>
#include <utility>

namespace bellows::cluster {

namespace {

using kubernetes::Condition;
using Status = kubernetes::ConditionStatus;

Condition condition(std::string_view type, Status status, std::string reason, std::string message) {
  return {.type = std::string(type),
          .status = status,
          .reason = std::move(reason),
          .message = std::move(message)};
}

Condition of_finding(std::string_view type, const Finding& finding) {
  return condition(type, Status::kFalse, finding.reason, finding.message);
}

std::string ready_text(const Standing& standing) {
  return std::to_string(standing.ready) + " of " + std::to_string(standing.requested) +
         " replicas are ready";
}

/// A missing Service does not prevent scaling, so it does not prevent Ready.
std::optional<Finding> first_problem(const Standing& standing) {
  for (const Finding& finding : standing.findings) {
    if (finding.reason != kServiceNotFound) return finding;
  }
  return missing_queue_proxy(standing.routed);
}

Condition ready(const Standing& standing) {
  constexpr std::string_view kType = "Ready";
  if (const auto problem = first_problem(standing)) return of_finding(kType, *problem);
  if (standing.asked == RevisionState::kRetired) {
    return condition(kType, Status::kFalse, "Retired",
                     "it is retired: out of service until spec.state is Active");
  }
  if (!standing.failure_message.empty() && standing.ready == 0) {
    return condition(kType, Status::kFalse, "ReplicasFailing", standing.failure_message);
  }
  if (standing.requested == 0) {
    return condition(kType, Status::kTrue, "AtZero", "it has no replicas, because it has no load");
  }
  if (standing.ready == 0) {
    return condition(kType, Status::kUnknown, "ReplicasStarting", ready_text(standing));
  }
  return condition(kType, Status::kTrue, "ReplicasReady", ready_text(standing));
}

Condition active(const Standing& standing) {
  constexpr std::string_view kType = "Active";
  if (standing.asked == RevisionState::kRetired) {
    return condition(kType, Status::kFalse, "Retired",
                     "it is retired: out of service until spec.state is Active");
  }
  if (!standing.report)
    return condition(kType, Status::kUnknown, "NotDecided", "there is no decision yet");
  if (standing.report->serving == ServingState::kActive) {
    return condition(kType, Status::kTrue, "Active", "it has replicas or will have some soon");
  }
  return condition(kType, Status::kFalse, "NoLoad",
                   "it is at zero; its first request starts a replica");
}

Condition able_to_scale(const Standing& standing) {
  constexpr std::string_view kType = "AbleToScale";
  if (const Finding* stopper = standing.stopper()) return of_finding(kType, *stopper);
  if (!standing.set_back.empty()) {
    return condition(kType, Status::kFalse, "ReplicasSetBack", standing.set_back);
  }
  if (!standing.scale_error.empty()) {
    return condition(kType, Status::kFalse, "FailedUpdateScale", standing.scale_error);
  }
  return condition(kType, Status::kTrue, "ReadyForNewScale",
                   "the number of replicas of the target can be set");
}

Condition scaling_active(const Standing& standing) {
  constexpr std::string_view kType = "ScalingActive";
  if (const Finding* stopper = standing.stopper()) return of_finding(kType, *stopper);
  if (standing.asked != RevisionState::kActive) {
    return condition(kType, Status::kFalse, "ScalingDisabled",
                     standing.asked == RevisionState::kPaused ? "spec.state is Paused"
                                                              : "spec.state is Retired");
  }
  if (!standing.report)
    return condition(kType, Status::kUnknown, "NotDecided", "there is no decision yet");
  if (!standing.report->is_load_known) {
    return condition(kType, Status::kFalse, "StatsMissing", "not every ready replica sends stats");
  }
  return condition(kType, Status::kTrue, "ValidMetricFound", "the load of all replicas is known");
}

Condition scaling_limited(const Standing& standing) {
  constexpr std::string_view kType = "ScalingLimited";
  const std::string limit = standing.report ? standing.report->limited_by : std::string();
  if (limit.empty()) {
    return condition(kType, Status::kFalse, "DesiredWithinRange", "no limit has an effect");
  }
  std::string reason = "Limited";
  if (limit == "max-scale") reason = "TooManyReplicas";
  if (limit == "min-scale" || limit == "activation-scale" || limit == "slow-brain") {
    reason = "TooFewReplicas";
  }
  if (limit == "max-scale-up-rate") reason = "ScaleUpLimit";
  if (limit == "max-scale-down-rate") reason = "ScaleDownLimit";
  return condition(kType, Status::kTrue, std::move(reason), "limited by " + limit);
}

Condition settings_valid(const Standing& standing) {
  constexpr std::string_view kType = "SettingsValid";
  if (const Finding* invalid = standing.find(kConfigInvalid)) return of_finding(kType, *invalid);
  return condition(kType, Status::kTrue, "SettingsValid", "all settings are valid");
}

Condition settings_in_effect(const Standing& standing) {
  constexpr std::string_view kType = "SettingsInEffect";
  if (const Finding* invalid = standing.find(kConfigInvalid)) {
    return condition(kType, Status::kFalse, invalid->reason,
                     invalid->stops_scaling
                         ? "no setting is in effect before all are valid (SettingsValid)"
                         : "the last valid settings are in effect (SettingsValid)");
  }
  if (const auto finding = settings_without_effect(standing)) return of_finding(kType, *finding);
  return condition(kType, Status::kTrue, "SettingsInEffect", "all settings are in effect");
}

Condition service_found(const Standing& standing) {
  constexpr std::string_view kType = "ServiceFound";
  for (const std::string_view reason : {kServiceAmbiguous, kServiceNotFound}) {
    if (const Finding* finding = standing.find(reason)) return of_finding(kType, *finding);
  }
  if (standing.service.empty()) {
    return condition(kType, Status::kUnknown, "TargetNotFound", "the target does not exist");
  }
  return condition(kType, Status::kTrue, "ServiceFound", "Service " + standing.service);
}

/// Returns the settings without an effect. Activators enforce theirs only while they are in the
/// path: they leave it while replicas have room, unless `keeps_activators`, and never join it where
/// `routed` is False. Without `routed` callers reach activators alone.
std::vector<config::WithoutEffect> not_enforced(const Standing& standing) {
  std::vector<config::WithoutEffect> all = standing.without_effect;
  const auto add = [&](const std::vector<std::string>& names, const std::string& because) {
    for (const std::string& name : names) all.push_back({name, because});
  };
  if (!standing.routed) return all;
  if (standing.routed->status == Status::kFalse) {
    const std::string because =
        "only activators enforce it, and none is in the path (Routed is False)";
    add(standing.of_activators.always, because);
    add(standing.of_activators.without_replica, because);
  } else if (!standing.keeps_activators) {
    add(standing.of_activators.always,
        "only activators enforce it, and callers reach replicas directly while these have room; "
        "with target-burst-capacity -1 activators stay in the path");
  }
  return all;
}

std::string names_text(const std::vector<PodName>& names) {
  std::string text;
  for (const PodName& name : names) text += (text.empty() ? "" : ", ") + name.text();
  return text;
}

/// The problems of the Service and the pods win over those of activators.
std::optional<Routed> routed_of(const Standing& standing) {
  const bool is_hindered = standing.routed && standing.routed->status == Status::kFalse;
  if (is_hindered || !standing.report || standing.report->kept_away.empty()) return standing.routed;
  return Routed{.status = Status::kFalse,
                .reason = std::string(kReplicasUnreachable),
                .message = "no ready pod can be reached at its address from " +
                           names_text(standing.report->kept_away) +
                           ": a mesh or a network policy blocks it; let activators connect to port "
                           "8013 of the pods, in a mesh by excluding that port from it"};
}

}  // namespace

const Finding* Standing::find(std::string_view reason) const {
  const auto found = std::ranges::find(findings, reason, &Finding::reason);
  return found == findings.end() ? nullptr : &*found;
}

const Finding* Standing::stopper() const {
  const auto found = std::ranges::find(findings, true, &Finding::stops_scaling);
  return found == findings.end() ? nullptr : &*found;
}

std::vector<Condition> conditions_of(const Standing& standing) {
  std::vector<Condition> conditions = {ready(standing),
                                       active(standing),
                                       able_to_scale(standing),
                                       scaling_active(standing),
                                       scaling_limited(standing),
                                       settings_valid(standing),
                                       settings_in_effect(standing),
                                       service_found(standing)};
  if (const auto routed = routed_of(standing)) {
    conditions.push_back(condition("Routed", routed->status, routed->reason, routed->message));
  }
  return conditions;
}

std::optional<Finding> settings_without_effect(const Standing& standing) {
  constexpr std::size_t kMost = 100;  // the server takes 32 KiB
  std::vector<config::WithoutEffect> all = not_enforced(standing);
  const std::string_view reason = all.empty() ? kNotInThePods : kNotEnforced;
  if (standing.report) {
    const auto& of_pods = standing.report->without_effect;
    all.insert(all.end(), of_pods.begin(), of_pods.end());
  }
  if (all.empty()) return std::nullopt;
  std::string message;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    message += (i == 0 ? "" : "; ") + all[i].setting + ": " + all[i].because;
  }
  if (all.size() > kMost) message += "; and " + std::to_string(all.size() - kMost) + " more";
  return Finding{.reason = std::string(reason), .message = std::move(message)};
}

std::optional<Finding> missing_queue_proxy(const std::optional<Routed>& routed) {
  if (!routed || routed->reason != kQueueProxyMissing) return std::nullopt;
  return Finding{.reason = routed->reason, .message = routed->message};
}

bool is_moving(const Standing& standing) {
  if (standing.stopper() != nullptr) return false;
  if (!standing.set_back.empty() || !standing.scale_error.empty()) return false;
  if (standing.asked == RevisionState::kActive && !standing.report) return true;
  return standing.failure_message.empty() &&
         (standing.there != standing.requested || standing.ready != standing.requested);
}

}  // namespace bellows::cluster
