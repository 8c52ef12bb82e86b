// Moves activators into and out of the path of one Revision: make before break, both ways. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "cluster/core/path.hpp"

namespace bellows::cluster {

/// The facts about one Revision's path at one time. Names of activators are sorted.
struct PathFacts {
  /// The autoscaler's order; nullopt: none yet, so the path stays as it is.
  std::optional<bool> is_asked_through;
  /// Callers of the Service find a ready replica beside the activators, and it is meant to stay.
  bool are_replicas_ready = false;
  /// The activators that may be in the path: ordered, listed as ready, and answering on the
  /// Revision's port or in the slice already.
  std::vector<PodName> usable;
  /// The activators that the slice on the server lists as ready.
  std::vector<PodName> in_slice;
};

/// The endpoints that the slice should have.
struct PathWish {
  std::vector<PodName> ready;        ///< activators that take requests
  std::vector<PodName> last_resort;  ///< those that take requests while nobody else is ready
  std::optional<TimePoint> again;    ///< when step() has a new result, if nothing changes
  bool operator==(const PathWish&) const = default;
};

/// The progress of a path. Owner: Paths. The states and their successors are those of
/// PathState. Every node of a cluster is assumed to follow a written slice within `settle`:
///   to activators: slice written -> `settle` -> kHeld, only then may there be no replica
///   to replicas:   replicas ready for `settle` -> slice without activators -> `settle` -> kDirect
/// While no replica is ready the activators join whatever the order says, and the last of them
/// never leaves the slice.
class PathMachine {
 public:
  explicit PathMachine(Duration settle) : settle_(settle) {}

  PathWish step(const PathFacts& facts, TimePoint now);
  PathState state() const { return state_; }

  /// Restarts all waits: the server could not be reached, and nodes followed nothing.
  void start_anew();

 private:
  bool wants_through(const PathFacts& facts, TimePoint now) const;
  void to_activators(const PathFacts& facts, TimePoint now);
  void to_replicas(const PathFacts& facts, TimePoint now);
  PathWish wish(const PathFacts& facts) const;

  Duration settle_;
  PathState state_ = PathState::kDirect;
  bool is_begun_ = false;
  std::optional<TimePoint> replicas_since_;  // ready without a break
  std::optional<TimePoint> settled_at_;      // of kJoining and kLeaving, once the slice is written
};

}  // namespace bellows::cluster
