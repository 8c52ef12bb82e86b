// The replicas of a revision by occupancy, and sums of what they use.
#pragma once

#include <algorithm>

#include "base/units.hpp"

namespace bellows::autoscaler {

/// Terminating ones never count as available.
struct Rooms {
  PodCount creating = 0;
  PodCount ready = 0;     ///< and not occupied
  PodCount occupied = 0;  ///< serves, holds a tunnel, or says so
  PodCount terminating = 0;

  PodCount available() const { return creating + ready + occupied; }
  bool operator==(const Rooms&) const = default;
};

/// `seen` as it will be once `ordered` replicas run: those that are missing are being created, and
/// of those beyond it the free ones end. What a cluster has more or less for a while (a rolling
/// update, an eviction, a full quota) is no reason to order another number.
inline Rooms as_ordered(const Rooms& seen, PodCount ordered) {
  Rooms rooms = seen;
  rooms.ready = std::max(0, std::min(seen.ready, ordered - seen.occupied));
  rooms.creating = std::max(0, ordered - rooms.ready - rooms.occupied);
  return rooms;
}

/// Sums over the ready replicas: cores or bytes.
struct Consumption {
  double usage = 0;
  double requests = 0;

  bool operator==(const Consumption&) const = default;
};

}  // namespace bellows::autoscaler
