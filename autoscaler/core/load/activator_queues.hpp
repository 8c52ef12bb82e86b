// What activators said last: how many requests wait in each, and which of them reach no replica.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

  /// Records a report; one that is older than the last changes nothing. `unreachable`: how many
  /// replicas are called ready of which it reaches none, 0 if it has no trouble; nothing: it does
  /// not say, and what it said holds.
  void record(const PodName& activator, Concurrency waiting, TimePoint at,
              std::optional<std::uint64_t> unreachable = std::nullopt);

  /// The sum, rounded up. `now` never goes back.
  std::uint64_t waiting(TimePoint now);

  /// The names of those that are not gone, sorted.
  std::vector<std::string> reporting(TimePoint now) const;
  /// Those of them that reach no replica that is called ready, sorted.
  std::vector<PodName> kept_away(TimePoint now) const;

 private:
  struct Report {
    Concurrency waiting = 0;
    std::uint64_t unreachable = 0;
    TimePoint at;
  };

  Duration dead_after_;
  std::map<PodName, Report> reports_;
};

}  // namespace bellows::autoscaler
