// Decides which replicas of a service a restart replaces next. Pure.
#pragma once

#include <span>
#include <vector>

#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// One more replica than wanted is started; when it is ready, an old one drains, and so on. So a
/// restart takes no capacity away; it stops with the old replicas in service if a new one does not
/// become ready. Owner: a LocalRevision. Thread: the io thread.
class RollingRestart {
 public:
  struct Step {
    enum class What : std::uint8_t { kNone, kAdd, kDrain };
    What what = What::kNone;
    PodName replica;  ///< to drain
  };

  /// Replaces the replicas that are neither draining nor gone. A second call replaces the new ones
  /// too.
  void begin(std::span<const Replica> oldest_first);

  /// Gives up; the replicas stay as they are.
  void cancel() { old_.clear(); }

  /// Returns how many replicas more than wanted run meanwhile: 0 or 1.
  PodCount surge() const { return old_.empty() ? 0 : 1; }

  /// Returns what is due. Call it again after doing it, and whenever a replica has changed. If the
  /// old replicas end otherwise (an order for fewer drained them), the one that is too many drains.
  Step next(std::span<const Replica> oldest_first, PodCount wanted);

 private:
  std::vector<PodName> old_;  // oldest first
};

}  // namespace bellows::cluster
