// What the autoscaler knows, as JSON (version 1, docs/status.md).
#pragma once

#include <functional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/service/revision_registry.hpp"
#include "autoscaler/service/scale_applier.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// What somebody else has to say about a revision's sizes: a JSON object, or nothing. May be empty.
using StatusAddition = std::function<std::string(const cluster::Revision&)>;

/// Every revision: load, replicas, the last decision and its reason; and, under "resources", what
/// is added.
std::string status_json(const RevisionRegistry& registry, const ScaleApplier& applier,
                        TimePoint now, const StatusAddition& resources);

/// The journal of one revision, newest first.
std::string decisions_json(const ScaledRevision& revision, TimePoint now);

/// {"error":{"kind":"not-found","culprit":"revision \"web\"","message":"..."}}
std::string error_json(const Error& error);

}  // namespace bellows::autoscaler
