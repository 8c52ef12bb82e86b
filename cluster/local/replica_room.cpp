#include "cluster/local/replica_room.hpp"

#include <algorithm>
#include <string>

namespace bellows::cluster {

namespace {

/// Returns the descriptors for replicas.
std::size_t room_of(std::size_t limit) {
  constexpr std::size_t kOwn = 24;
  const std::size_t kept = limit / 4 + limit / 16 + kOwn;
  return limit > kept ? limit - kept : 0;
}

/// "max-scale 60 needs 1082 descriptors ..."
Error too_many(std::string culprit, const std::string& setting, std::size_t replicas,
               std::size_t limit) {
  const std::string needed = std::to_string(descriptors_for(replicas));
  return Error(ErrorKind::kInvalidSetting, std::move(culprit),
               setting + " " + std::to_string(replicas) + " needs " + needed + " open files (" +
                   std::to_string(kDescriptorsPerReplica) +
                   " a replica, a quarter for callers), and the limit is " + std::to_string(limit) +
                   "; want `ulimit -n " + needed + "` (LimitNOFILE) or more, or " + setting +
                   " at most " + std::to_string(room_for_replicas(limit)));
}

}  // namespace

std::size_t room_for_replicas(std::size_t limit) {
  return room_of(limit) / kDescriptorsPerReplica;
}

std::size_t descriptors_for(std::size_t replicas) {
  std::size_t limit = replicas * kDescriptorsPerReplica;
  while (room_for_replicas(limit) < replicas) {
    limit += replicas * kDescriptorsPerReplica - room_of(limit);
  }
  return limit;
}

Result<void> check_bounds(std::span<const ReplicaBounds> services, std::size_t limit) {
  const std::size_t room = room_for_replicas(limit);
  std::size_t least = 0;
  for (const ReplicaBounds& service : services) {
    const auto most = static_cast<std::size_t>(service.max_scale);
    if (most > room) {
      return fail(too_many("service " + service.service.text(), "max-scale", most, limit));
    }
    least += static_cast<std::size_t>(service.min_scale);
  }
  if (least <= room) return {};
  return fail(too_many("all services together", "min-scale", least, limit));
}

std::size_t most_descriptors(std::span<const ReplicaBounds> services, std::size_t limit) {
  constexpr std::size_t kUnbounded = 1'000;  // more than one machine has CPU and memory for
  const std::size_t room = room_for_replicas(limit);
  std::size_t most = 0;
  for (const ReplicaBounds& service : services) {
    const auto bound = static_cast<std::size_t>(service.max_scale);
    most = std::min(room, most + (bound == 0 ? kUnbounded : bound));
  }
  return most * kDescriptorsPerReplica;
}

Result<void> check_room(const RevisionId& service, std::size_t limit, std::size_t reserved) {
  const std::size_t for_callers = limit / 4;
  const std::size_t room = room_of(limit);
  if (reserved + kDescriptorsPerReplica <= room) return {};
  return fail(ErrorKind::kOverloaded, "another replica of service " + service.text(),
              "does not fit: replicas take " + std::to_string(reserved) + " of " +
                  std::to_string(limit) + " open files, " + std::to_string(kDescriptorsPerReplica) +
                  " each, and " + std::to_string(for_callers) + " are kept for " +
                  std::to_string(for_callers / 2) +
                  " callers; want a higher hard limit of open files (ulimit -Hn, "
                  "LimitNOFILE), or a max-scale of at most " +
                  std::to_string(room_for_replicas(limit)) + " for all services together");
}

}  // namespace bellows::cluster
