// The orders of the autoscaler to a cluster. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/units.hpp"

namespace bellows::cluster {

/// An order to run `desired` replicas. To scale down, the cluster first drains replicas that are
/// not ready; among equals those of `drain_first` in that order, then the youngest. It drains those
/// of `keep` last, ready or not.
struct ScaleOrder {
  PodCount desired = 0;
  std::vector<PodName> drain_first;
  std::string reason;              ///< for the cluster's log, one line
  std::vector<PodName> keep = {};  ///< occupied ones; at most `desired`
};

}  // namespace bellows::cluster
