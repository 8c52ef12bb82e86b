// What revisions are checked for before a replica of them is started.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "cluster/local/app_groups.hpp"
#include "cluster/local/replica_room.hpp"
#include "config/shared_service.hpp"

namespace bellows::cluster {

/// What the first replica of each would find. kNotFound or kSystem with the command, kConflict for
/// a name that is listed twice.
Result<void> check_programs(const std::vector<config::ServiceRevision>& revisions);

/// A hard limit that cannot be kept is no limit: kUnsupported.
Result<void> check_limits(const std::vector<config::ServiceRevision>& revisions,
                          const AppGroups& groups);

/// What a revision asks for, under the name of its service.
ReplicaBounds bounds_of(const config::ServiceRevision& revision);

/// check_bounds() with the descriptors of this process.
Result<void> check_all_fit(const std::vector<config::ServiceRevision>& revisions);

}  // namespace bellows::cluster
