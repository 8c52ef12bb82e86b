// Targets without a history, as Maestro v10 and Agones have them: a fixed number of free replicas,
// or a share of them.
#pragma once

#include <cstdint>

#include "base/units.hpp"

namespace bellows::autoscaler::triggers {

/// value / by, rounded up. `by` is above 0.
std::int64_t divide_up(std::int64_t value, std::int64_t by);

/// Occupied replicas and `amount` free ones.
PodCount buffered(PodCount occupied, PodCount amount);

/// So many replicas, each for `per_replica` matches, that the share `free` of their places is free
/// once all `matches` have theirs: ceil(ceil(matches / (1 - free)) / per_replica). `free` is above
/// 0 and below 1; its decimals count, up to nine.
PodCount with_free_share(PodCount matches, double free, PodCount per_replica = 1);

/// Whether `desired` replicas may be scaled down to, while `free_places` places are free: the free
/// places that would be wanted are at most the share `threshold` of those that exist.
bool may_scale_down(PodCount desired, double free, PodCount free_places, double threshold,
                    PodCount per_replica = 1);

}  // namespace bellows::autoscaler::triggers
