// Activators that reach no ready replica at its address, as last reported.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

/// Owner: one decider. Pure.
class ActivatorReach {
 public:
  /// What an activator said counts until it says something else, at most for `dead_after`.
  explicit ActivatorReach(Duration dead_after) : dead_after_(dead_after) {}

  /// `unreachable`: how many replicas are called ready of which it reaches none; 0: it has no
  /// trouble. A report that is older than the last one changes nothing.
  void record(const PodName& activator, std::uint64_t unreachable, TimePoint at);

  /// Those that are kept away, sorted.
  std::vector<PodName> kept_away(TimePoint now) const;

 private:
  struct Report {
    std::uint64_t unreachable = 0;
    TimePoint at;
  };

  Duration dead_after_;
  std::map<PodName, Report> reports_;  // of activators that were kept away at some time
};

}  // namespace bellows::autoscaler
