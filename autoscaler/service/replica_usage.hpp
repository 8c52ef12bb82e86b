// CPU and memory of a revision's replicas, relative to what they request.
#pragma once

#include <optional>

#include "cluster/core/revision.hpp"

namespace bellows::autoscaler {

/// Means of usage / request over the ready replicas; nullopt if no replica is measured or none has
/// a request.
struct UsageShares {
  std::optional<double> cpu;
  std::optional<double> memory;

  bool operator==(const UsageShares&) const = default;
};

/// Returns the shares. A replica's request is the one in effect for it, else that of the service's
/// settings.
UsageShares usage_of(const cluster::Revision& revision);

}  // namespace bellows::autoscaler
