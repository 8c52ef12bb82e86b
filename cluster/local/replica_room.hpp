// Whether the descriptors of this process suffice for another replica. Pure.
#pragma once

#include <cstddef>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace bellows::cluster {

/// What a replica takes in the process that owns it: output, errors, status and lifeline of its app
/// and of its queue-proxy, the notify pipe, and the connection for its stats.
inline constexpr std::size_t kDescriptorsPerReplica = 10;

/// How many replicas of all services fit into `limit` descriptors.
std::size_t room_for_replicas(std::size_t limit);

/// `limit`: of descriptors (RLIMIT_NOFILE); `reserved`: by replicas that exist. A quarter stays for
/// callers and a sixteenth for all else: otherwise requests fail for lack of descriptors, and
/// neither admin port nor log can say why. kOverloaded, with the numbers.
Result<void> check_room(const RevisionId& service, std::size_t limit, std::size_t reserved);

}  // namespace bellows::cluster
