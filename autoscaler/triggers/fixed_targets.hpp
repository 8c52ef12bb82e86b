// Targets without a history, as Maestro v10 and Agones have them: a fixed number of free replicas,
// or a share of them.
#pragma once

#include <cstdint>

#include "base/units.hpp"

namespace bellows::autoscaler::triggers {

/// Returns value / by, rounded up. `by` is above 0.
std::int64_t divide_up(std::int64_t value, std::int64_t by);

/// Returns the occupied replicas and `amount` free ones.
PodCount buffered(PodCount occupied, PodCount amount);

/// Returns the replicas, each for `per_replica` matches, of which the share `free` of the places is
/// free with all `matches` placed: ceil(ceil(matches / (1 - free)) / per_replica). `free` is above
/// 0 and below 1; up to nine decimals count.
PodCount with_free_share(PodCount matches, double free, PodCount per_replica = 1);

/// Returns true if a scale-down to `desired` replicas is allowed while `free_places` places are
/// free: the wanted free places are at most the share `threshold` of the existing ones.
bool may_scale_down(PodCount desired, double free, PodCount free_places, double threshold,
                    PodCount per_replica = 1);

}  // namespace bellows::autoscaler::triggers
