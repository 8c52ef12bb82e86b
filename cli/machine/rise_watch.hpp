// How the scaling stands, as far as whoever owns the replicas can see it.
#pragma once

#include <map>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::cli {

/// For a machine whose autoscaler runs apart: its mode does not cross the cluster socket, what it
/// orders does. A panic only ever orders more, and ends a stable window after its last excess at
/// the earliest; so an order of more replicas counts as a panic for one stable window. Pure.
class RiseWatch {
 public:
  /// What was ordered last, and the service's stable window.
  struct Order {
    PodCount want = 0;
    Duration window{};
  };
  /// Whether more replicas of `service` were ordered within the last stable window. Rises are seen
  /// by the next call: ask every few seconds.
  bool rose_lately(const RevisionId& service, Order order, TimePoint now);

 private:
  struct Seen {
    PodCount want = 0;
    std::optional<TimePoint> rose;
  };
  std::map<RevisionId, Seen> seen_;
};

}  // namespace bellows::cli
