// The activator's knowledge of one revision from the cluster's list.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "activator/core/slot_share.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"
#include "config/revision_settings.hpp"

namespace bellows::activator {

/// A replica that the cluster lists as ready.
struct ReplicaView {
  PodName name;
  Endpoint address;
  TimePoint ordered{};
  std::optional<TimePoint> process_started{};
  std::optional<TimePoint> ready{};  ///< changes when it becomes ready again after a restart

  bool operator==(const ReplicaView&) const = default;
};

struct RevisionView {
  config::RevisionSettings settings;
  /// Ready replicas, ordered by name. A whole view has all of them. A partial view has those that
  /// are new or changed, `gone` names those that are not ready any more, and settings, share and
  /// address are those of the previous view. So unchanged replicas cost nothing.
  std::vector<ReplicaView> ready;
  std::vector<PodName> gone{};
  bool is_whole = true;
  PodCount requested = 0;                  ///< last order of replicas to the cluster
  std::optional<double> learned_target{};  ///< from the slow brain, in place of the configured one
  /// Reason why no replica starts. It is set only if it is final enough for callers: the progress
  /// deadline has passed, or the replicas crash in a loop. Empty: no failure, or no replica that
  /// could fail.
  std::string failure_message{};
  /// Reason why the cluster starts no replica, while there is none. Empty: it does.
  std::string order_failure{};
  /// The reason why no replica is ready yet, for callers whose wait has ended. Empty: one is ready,
  /// or it is not known.
  std::string not_ready{};
  /// If it is set, replicas are reached only through this address, which balances load itself (a
  /// cluster IP).
  std::optional<Endpoint> shared_address{};
  /// Knative's policies use only the replicas of this activator's slice. least-loaded uses all
  /// replicas and prefers its slice among equally loaded ones.
  ActivatorShare share{};
};

}  // namespace bellows::activator
