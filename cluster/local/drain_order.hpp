// The order in which replicas drain to scale down. Pure.
#pragma once

#include <span>
#include <vector>

#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// Returns the replicas to drain so that `desired` are left, in order: replicas that are not ready
/// (failed, pending, starting) before ready ones; among equals those of `drain_first` in its order,
/// then the youngest; and those of `keep` after all others. Replicas that already drain do not
/// count.
std::vector<PodName> replicas_to_drain(std::span<const Replica> oldest_first, PodCount desired,
                                       std::span<const PodName> drain_first,
                                       std::span<const PodName> keep = {});

}  // namespace bellows::cluster
