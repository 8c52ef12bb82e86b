// What the autoscaler asks of a cluster. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/units.hpp"

namespace bellows::cluster {

/// An order to run `desired` replicas. To scale down, the cluster drains replicas that are not
/// ready first; among equals those of `drain_first` in that order, then the youngest. None of
/// `keep` is drained while others are there, ready or not.
struct ScaleOrder {
  PodCount desired = 0;
  std::vector<PodName> drain_first;
  std::string reason;              ///< for the cluster's log, one line
  std::vector<PodName> keep = {};  ///< occupied ones; at most `desired`
};

}  // namespace bellows::cluster
