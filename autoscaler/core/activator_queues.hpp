// Requests that wait in activators, as those said last.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::autoscaler {

/// Owner: one decider. Pure.
class ActivatorQueues {
 public:
  /// An activator that is silent for `dead_after` counts as gone, with what waited there.
  explicit ActivatorQueues(Duration dead_after) : dead_after_(dead_after) {}

  /// Older words than those heard already change nothing.
  void hear(const PodName& activator, Concurrency waiting, TimePoint at);

  /// The sum, rounded up. `now` never goes back.
  std::uint64_t waiting(TimePoint now);

  /// The names of those that are not gone, sorted.
  std::vector<std::string> heard(TimePoint now) const;

 private:
  struct Queue {
    Concurrency waiting = 0;
    TimePoint heard;
  };

  Duration dead_after_;
  std::map<PodName, Queue> queues_;
};

}  // namespace bellows::autoscaler
