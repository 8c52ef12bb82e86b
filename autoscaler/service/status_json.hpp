// The state of the autoscaler as JSON (version 2, docs/formats/status.md).
#pragma once

#include <functional>
#include <span>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/stat_guard.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Returns another component's data about a revision's sizes: a JSON object, or an empty text. The
/// function may be empty.
using StatusAddition = std::function<std::string(const cluster::Revision&)>;
/// Returns the requests of the last minute of the revisions of a service, likewise.
using TrafficOf = std::function<std::string(std::span<const RevisionId>)>;

/// The additions of other components to the status.
struct StatusAdditions {
  StatusAddition resources;              ///< under "resources" of each revision
  TrafficOf traffic;                     ///< under "traffic" of each service
  std::function<std::string()> machine;  ///< under "machine", likewise; may be empty
  std::function<std::string()> changes;  ///< its members beside "services", likewise
};

/// Returns every service, and below it its revisions with load, replicas, the last decision, its
/// reason and the additions; the time since when the cluster is unreachable; and the rejected
/// stats.
std::string status_json(const RevisionRegistry& registry, const ScaleApplier& applier,
                        const cluster::Cluster& cluster, const StatGuard& guard, TimePoint now,
                        const StatusAdditions& additions);

/// Returns one revision as in the status.
std::string revision_status_json(const ScaledRevision& revision, const ScaleApplier& applier,
                                 TimePoint now, const StatusAddition& resources);

/// Returns the journal of one revision, newest first.
std::string decisions_json(const ScaledRevision& revision, TimePoint now);

}  // namespace bellows::autoscaler
