// The room for replicas in the descriptors of this process. Pure.
#pragma once

#include <cstddef>
#include <span>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/units.hpp"

namespace bellows::cluster {

/// The descriptors of a replica in the process that owns it: output, errors, status and lifeline of
/// its app and of its queue-proxy, the notify pipe, the claims of its two ports, and the connection
/// for its stats.
inline constexpr std::size_t kDescriptorsPerReplica = 12;

/// Returns the number of replicas of all services that fit into `limit` descriptors.
std::size_t room_for_replicas(std::size_t limit);

/// Returns the smallest limit that has room for that many replicas.
std::size_t descriptors_for(std::size_t replicas);

/// The bounds that a service configures.
struct ReplicaBounds {
  RevisionId service;
  PodCount min_scale = 0;
  PodCount max_scale = 0;  ///< 0: unbounded
};

/// Checks before anything runs that max-scale of each service alone and min-scale of all together
/// fit into `limit` descriptors. Services that peak at different times may have a larger max-scale
/// together: then check_room() decides. kInvalidSetting, with the numbers.
Result<void> check_bounds(std::span<const ReplicaBounds> services, std::size_t limit);

/// Returns the most descriptors that replicas may take: those of max-scale of all services, as far
/// as `limit` has room; of a service without max-scale those of a thousand.
std::size_t most_descriptors(std::span<const ReplicaBounds> services, std::size_t limit);

/// Checks the room for one more replica. `limit`: of descriptors (RLIMIT_NOFILE); `reserved`: by
/// replicas that exist. A quarter stays for callers and a sixteenth for all else: otherwise
/// requests fail for lack of descriptors, and neither admin port nor log can say why. kOverloaded,
/// with the numbers.
Result<void> check_room(const RevisionId& service, std::size_t limit, std::size_t reserved);

}  // namespace bellows::cluster
