// Requests that wait in activators, as last reported.
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
  /// An activator without a report for `dead_after` counts as gone, with its waiting requests.
  explicit ActivatorQueues(Duration dead_after) : dead_after_(dead_after) {}

  /// Records a report; one that is older than the last changes nothing.
  void record(const PodName& activator, Concurrency waiting, TimePoint at);

  /// The sum, rounded up. `now` never goes back.
  std::uint64_t waiting(TimePoint now);

  /// The names of those that are not gone, sorted.
  std::vector<std::string> reporting(TimePoint now) const;

 private:
  struct Queue {
    Concurrency waiting = 0;
    TimePoint reported_at;
  };

  Duration dead_after_;
  std::map<PodName, Queue> queues_;
};

}  // namespace bellows::autoscaler
