// CPU and memory of a revision's replicas, relative to what they request.
#pragma once

#include <optional>

#include "cluster/core/revision.hpp"

namespace bellows::autoscaler {

/// Means over the ready replicas of usage / request; nothing if no replica is measured or none has
/// a request.
struct UsageShares {
  std::optional<double> cpu;
  std::optional<double> memory;

  bool operator==(const UsageShares&) const = default;
};

/// A replica requests what is in effect for it, else what the service's settings request.
UsageShares usage_of(const cluster::Revision& revision);

}  // namespace bellows::autoscaler
