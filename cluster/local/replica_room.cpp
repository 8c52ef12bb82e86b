#include "cluster/local/replica_room.hpp"

#include <string>

namespace bellows::cluster {

namespace {

/// The descriptors for replicas.
std::size_t room_of(std::size_t limit) {
  constexpr std::size_t kOwn = 24;
  const std::size_t kept = limit / 4 + limit / 16 + kOwn;
  return limit > kept ? limit - kept : 0;
}

}  // namespace

std::size_t room_for_replicas(std::size_t limit) {
  return room_of(limit) / kDescriptorsPerReplica;
}

Result<void> check_room(const RevisionId& service, std::size_t limit, std::size_t reserved) {
  const std::size_t for_callers = limit / 4;
  const std::size_t room = room_of(limit);
  if (reserved + kDescriptorsPerReplica <= room) return {};
  return fail(ErrorKind::kOverloaded, "another replica of service " + service.text(),
              "does not fit: replicas take " + std::to_string(reserved) + " of " +
                  std::to_string(limit) + " open files, " + std::to_string(kDescriptorsPerReplica) +
                  " each, and " + std::to_string(for_callers) +
                  " are kept for callers; want a higher hard limit of open files (ulimit -Hn, "
                  "LimitNOFILE), or a max-scale of at most " +
                  std::to_string(room_for_replicas(limit)) + " for all services together");
}

}  // namespace bellows::cluster
