// The replicas of a revision by occupancy, and sums of what they use.
#pragma once

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

/// Sums over the ready replicas: cores or bytes.
struct Consumption {
  double usage = 0;
  double requests = 0;

  bool operator==(const Consumption&) const = default;
};

}  // namespace bellows::autoscaler
