// The conditions of a Revision, by what is known of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.hpp"
#include "base/units.hpp"
#include "cluster/core/report.hpp"
#include "cluster/core/revision.hpp"
#include "kubernetes/core/condition.hpp"

namespace bellows::cluster {

/// A problem of a Revision apart from its replicas. `reason` is the condition's, in CamelCase;
/// `message` names the objects.
struct Finding {
  std::string reason;
  std::string message;
  bool stops_scaling = false;  ///< no number is written while it lasts
  bool operator==(const Finding&) const = default;
};

/// The reasons of findings.
inline constexpr std::string_view kTargetNotFound = "TargetNotFound";
inline constexpr std::string_view kTargetNotScalable = "TargetNotScalable";
inline constexpr std::string_view kTwoRevisions = "TwoRevisions";
inline constexpr std::string_view kOtherAutoscaler = "OtherAutoscaler";
inline constexpr std::string_view kConfigInvalid = "ConfigInvalid";
inline constexpr std::string_view kServiceAmbiguous = "ServiceAmbiguous";
inline constexpr std::string_view kServiceNotFound = "ServiceNotFound";

/// The condition Routed: who takes the requests of the Service, and what prevents a route.
struct Routed {
  kubernetes::ConditionStatus status = kubernetes::ConditionStatus::kUnknown;
  std::string reason;
  std::string message;
  bool operator==(const Routed&) const = default;
};

/// The reason of Routed while activators cannot reach the pods.
inline constexpr std::string_view kReplicasUnreachable = "ReplicasUnreachable";

/// The reason of Routed for pods without a queue-proxy. Their load is unknown.
inline constexpr std::string_view kQueueProxyMissing = "QueueProxyMissing";

/// Returns the finding of a Routed with that reason, which is the only one that prevents Ready too.
std::optional<Finding> missing_queue_proxy(const std::optional<Routed>& routed);

/// The reasons of SettingsInEffect beside kConfigInvalid: nothing enforces the setting on
/// Kubernetes, or not all pods have it.
inline constexpr std::string_view kNotEnforced = "NotEnforced";
inline constexpr std::string_view kNotInThePods = "NotInThePods";

/// The facts from which conditions follow.
struct Standing {
  RevisionState asked = RevisionState::kActive;  ///< spec.state
  std::vector<Finding> findings;
  std::vector<config::WithoutEffect> without_effect;  ///< settings that nothing enforces here
  config::ActivatorsAlone of_activators;              ///< settings that activators alone enforce
  bool keeps_activators = false;                      ///< in the path whenever there are any
  std::string service;                                ///< empty: none was found
  PodCount requested = 0;
  PodCount there = 0;  ///< pods that are not terminating
  PodCount ready = 0;
  std::string failure_message;   ///< of the replicas
  std::optional<Report> report;  ///< nullopt: the autoscaler has not decided yet
  std::string scale_error;       ///< of the last order; empty: it was accepted
  std::string set_back;          ///< who sets the number back; empty: nobody
  std::optional<Routed> routed;  ///< nullopt: paths are left alone
  std::uint16_t activator_port = 0;
  std::map<std::uint16_t, WallTime> resting_ports;  ///< of deleted Revisions

  const Finding* find(std::string_view reason) const;
  const Finding* stopper() const;  ///< the first finding that stops scaling
};

/// Returns the finding about settings that are valid and have no effect; nullopt: all have.
std::optional<Finding> settings_without_effect(const Standing& standing);

/// Returns Ready, Active, AbleToScale, ScalingActive, ScalingLimited (the last three mean what they
/// mean on a HorizontalPodAutoscaler), SettingsValid, SettingsInEffect, ServiceFound and Routed.
/// Without times: see kubernetes::merge_condition().
std::vector<kubernetes::Condition> conditions_of(const Standing& standing);

/// Returns true while replicas start or end, or there is no decision yet: more changes will follow
/// soon.
bool is_moving(const Standing& standing);

}  // namespace bellows::cluster
