// Detects recent scale-ups from the ordered replica counts alone.
#pragma once

#include <map>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::cli {

/// For a machine whose autoscaler is a program of its own. The autoscaler's mode is not sent over
/// the cluster socket, but its orders are. A panic only increases the order and lasts at least one
/// stable window after the last excess, so an increase counts as a panic for one stable window.
/// Pure.
class ScaleUpTracker {
 public:
  /// The latest order and the service's stable window.
  struct Order {
    PodCount desired = 0;
    Duration window{};
  };
  /// True if the order for `service` increased within the last stable window. An increase is
  /// noticed by the next call, so call it every few seconds.
  bool scaled_up_recently(const RevisionId& service, Order order, TimePoint now);

 private:
  struct Seen {
    PodCount desired = 0;
    std::optional<TimePoint> increased_at;
  };
  std::map<RevisionId, Seen> seen_;
};

}  // namespace bellows::cli
