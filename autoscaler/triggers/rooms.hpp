// Numbers of replicas: whole ones, those of a revision by occupancy, and sums of what they use.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/units.hpp"

namespace bellows::autoscaler {

/// Returns `amount` rounded up to whole replicas, but without a replica for measurement error: each
/// source's load is counted in units of 1e-6 requests (metrics/pod_window.hpp), so with one replica
/// per request the sum is off by up to a millionth. 80 requests measured as 80.000002 with a target
/// of 10 are eight replicas at a tolerance of 1e-6. Never negative, at most kMaxReplicas.
inline PodCount whole_pods(double amount, double tolerance) {
  const double noise = tolerance * std::max(1.0, amount);
  return static_cast<PodCount>(std::clamp<double>(std::ceil(amount - noise), 0, kMaxReplicas));
}

/// Replicas by state. Terminating ones do not count as available.
struct Rooms {
  PodCount creating = 0;
  PodCount ready = 0;     ///< and not occupied
  PodCount occupied = 0;  ///< serves, holds a tunnel, or reports it
  PodCount terminating = 0;

  PodCount available() const { return creating + ready + occupied; }
  bool operator==(const Rooms&) const = default;
};

/// Returns `seen` as it will be once `ordered` replicas run: missing replicas count as creating,
/// and free ones beyond the order are removed. A temporary difference (a rolling update, an
/// eviction, a full quota) thus does not change the order.
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
