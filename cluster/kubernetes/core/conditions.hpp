// What is told about a Revision: its conditions, by what is known of it.
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

/// Something that is wrong with a Revision apart from its replicas. `reason` is the condition's, in
/// CamelCase; `message` names the objects.
struct Finding {
  std::string reason;
  std::string message;
  bool stops_scaling = false;  ///< no number is written while it stands
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

/// The condition Routed: who takes the requests of the Service, and what hinders that.
struct Routed {
  kubernetes::ConditionStatus status = kubernetes::ConditionStatus::kUnknown;
  std::string reason;
  std::string message;
  bool operator==(const Routed&) const = default;
};

/// The reason of Routed while activators cannot reach the pods.
inline constexpr std::string_view kReplicasUnreachable = "ReplicasUnreachable";

/// What conditions are made of.
struct Standing {
  RevisionState asked = RevisionState::kActive;  ///< spec.state
  std::vector<Finding> findings;
  std::string service;  ///< empty: none was found
  PodCount requested = 0;
  PodCount there = 0;  ///< pods that are not terminating
  PodCount ready = 0;
  std::string failure_message;   ///< of the replicas
  std::optional<Report> report;  ///< nothing: the autoscaler has decided nothing yet
  std::string scale_error;       ///< of the last order; empty: it was taken
  std::string set_back;          ///< who sets the number back; empty: nobody
  std::optional<Routed> routed;  ///< nothing: paths are left alone
  std::uint16_t activator_port = 0;
  std::map<std::uint16_t, WallTime> resting_ports;  ///< of Revisions that are gone

  const Finding* find(std::string_view reason) const;
  const Finding* stopper() const;  ///< the first finding that stops scaling
};

/// Ready, Active, AbleToScale, ScalingActive, ScalingLimited (the last three mean what they mean on
/// a HorizontalPodAutoscaler), SettingsValid, ServiceFound and Routed. Without
/// times: see kubernetes::merge_condition().
std::vector<kubernetes::Condition> conditions_of(const Standing& standing);

/// True while replicas start or end, or nothing was decided yet: more changes will follow soon.
bool is_moving(const Standing& standing);

}  // namespace bellows::cluster
