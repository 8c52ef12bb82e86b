// The state of the autoscaler as JSON (version 1, docs/formats/status.md).
#pragma once

#include <functional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "autoscaler/service/stat_guard.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Adds another component's data about a revision's sizes: a JSON object, or an empty text. May be
/// empty.
using StatusAddition = std::function<std::string(const cluster::Revision&)>;

/// What other components add to the status.
struct StatusAdditions {
  StatusAddition resources;              ///< under "resources" of each revision
  std::function<std::string()> machine;  ///< under "machine", likewise; may be empty
  std::function<std::string()> changes;  ///< its members beside "revisions", likewise
};

/// Every revision with load, replicas, the last decision and its reason, and what is added;
/// since when the cluster is unreachable; stats that were not believed.
std::string status_json(const RevisionRegistry& registry, const ScaleApplier& applier,
                        const cluster::Cluster& cluster, const StatGuard& guard, TimePoint now,
                        const StatusAdditions& additions);

/// One revision as it is in the status.
std::string revision_status_json(const ScaledRevision& revision, const ScaleApplier& applier,
                                 TimePoint now, const StatusAddition& resources);

/// The journal of one revision, newest first.
std::string decisions_json(const ScaledRevision& revision, TimePoint now);

}  // namespace bellows::autoscaler
