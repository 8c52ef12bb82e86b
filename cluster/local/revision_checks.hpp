// Checks of revisions before their replicas start.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "cluster/local/app_groups.hpp"
#include "cluster/local/replica_room.hpp"
#include "config/shared_service.hpp"

namespace bellows::cluster {

/// Finds what the first replica of each would find. kNotFound or kSystem with the command,
/// kConflict for a name that is listed twice.
Result<void> check_programs(const std::vector<config::ServiceRevision>& revisions);

/// Fails with kUnsupported if a hard limit cannot be kept.
Result<void> check_limits(const std::vector<config::ServiceRevision>& revisions,
                          const AppGroups& groups);

/// Returns the bounds of a revision, under the name of its service.
ReplicaBounds bounds_of(const config::ServiceRevision& revision);

/// Runs check_bounds() with the descriptors of this process.
Result<void> check_all_fit(const std::vector<config::ServiceRevision>& revisions);

}  // namespace bellows::cluster
