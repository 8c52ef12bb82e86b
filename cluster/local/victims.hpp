// Which replicas leave when fewer are wanted. Pure.
#pragma once

#include <span>
#include <vector>

#include "cluster/api.hpp"

namespace bellows::cluster {

/// The replicas to drain so that `want` are left, in the order in which they are drained: those
/// that are of no use yet (failed, pending, starting) before ready ones; among equals those of
/// `drain_first` in its order; then the youngest. Replicas that are leaving already do not count.
std::vector<PodName> choose_victims(std::span<const Replica> oldest_first, PodCount want,
                                    std::span<const PodName> drain_first);

}  // namespace bellows::cluster
