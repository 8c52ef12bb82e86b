// Through which path the requests of a revision should come. Pure.
#pragma once

#include <optional>
#include <vector>

#include "autoscaler/core/decision.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "cluster/core/path.hpp"

namespace bellows::autoscaler {

/// The memory of the path of one revision from one decision to the next.
struct PathMemory {
  /// The time since which activators are not needed; nothing: they are.
  std::optional<TimePoint> spare_since;
  bool is_through = false;
  bool has_little_room = false;  ///< why activators were needed last, while they stay
  bool is_begun = false;         ///< false: the first decision goes on with the path as it is
};

/// A path does not change for less, because each change is written to the cluster. Activators leave
/// once they were not needed for so long: the room for a burst goes up and down with each decision.
/// And replicas connect within it after the autoscaler or they have started: until then silence is
/// not taken for idleness, or an autoscaler that starts again would bring activators into the path
/// of each revision with one replica, and take them out again.
inline constexpr Duration kPathSettles = std::chrono::seconds(10);

/// Returns the path for what was decided. It goes through activators if there is no ready replica
/// or none is wanted, if the replicas have too little room for a burst (knative.md 3.1, step 4), or
/// if the last replica is only kept until it may go. `activators`: those that may be asked for, by
/// name; the revision gets desired_activators() of them, always the same ones as far as possible.
/// None: the cluster takes those that it finds.
cluster::PathOrder wanted_path(const Decision& decision, const RevisionId& revision,
                               const std::vector<PodName>& activators, PathMemory& memory);

}  // namespace bellows::autoscaler
