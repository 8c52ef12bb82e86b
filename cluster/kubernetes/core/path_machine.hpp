// Activators in and out of the path of one Revision: make before break, both ways. Pure.
#pragma once

#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "cluster/core/path.hpp"

namespace bellows::cluster {

/// What is known of one Revision's path at one time. Names of activators are sorted.
struct PathFacts {
  /// What the autoscaler asks for; nothing: nothing yet, so the path stays as it is.
  std::optional<bool> is_asked_through;
  /// Callers of the Service find a ready replica beside the activators, and it is meant to stay.
  bool are_replicas_ready = false;
  /// Those that may be in the path: asked for, listed as ready, and answering on the Revision's
  /// port or in the slice already.
  std::vector<PodName> usable;
  /// Those that the slice lists as ready, as the server has it.
  std::vector<PodName> in_slice;
};

/// What has to be done.
struct PathWish {
  std::vector<PodName> ready;        ///< activators that take requests
  std::vector<PodName> last_resort;  ///< those that take them while nobody else is ready
  std::optional<TimePoint> again;    ///< when step() has something new, if nothing changes
  bool operator==(const PathWish&) const = default;
};

/// Where a path is on its way. Owner: Paths. The states and their successors are those of
/// PathState. Every node of a cluster is assumed to follow a written slice within `settle`:
///   to activators: slice written -> `settle` -> kHeld, only then may there be no replica
///   to replicas:   replicas ready for `settle` -> slice without activators -> `settle` -> kDirect
/// While no replica is ready the activators join whatever is asked for, and the last of them never
/// leaves the slice.
class PathMachine {
 public:
  explicit PathMachine(Duration settle) : settle_(settle) {}

  PathWish step(const PathFacts& facts, TimePoint now);
  PathState state() const { return state_; }

  /// Nothing that was waited for so far counts: the server was away, and nodes followed nothing.
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
