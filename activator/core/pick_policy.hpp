// Which replica the next request goes to.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "activator/core/pod_tracker.hpp"

namespace bellows::activator {

/// A choice among the replicas of one revision.
class PickPolicy {
 public:
  virtual ~PickPolicy() = default;

  /// One that can take a request now, or nullptr if none can.
  virtual PodTracker* pick(std::span<const std::unique_ptr<PodTracker>> pods, TimePoint now) = 0;
};

/// The one with the fewest requests in flight here; equals take turns. The default: with late
/// binding it keeps every replica as busy as the others. O(replicas).
class LeastInFlight final : public PickPolicy {
 public:
  PodTracker* pick(std::span<const std::unique_ptr<PodTracker>> pods, TimePoint now) override;

 private:
  std::size_t next_ = 0;  // where the search begins, so that equals take turns
};

}  // namespace bellows::activator
