// CPU and memory of a revision's replicas, as parts of what they ask for.
#pragma once

#include <optional>

#include "cluster/api.hpp"

namespace bellows::autoscaler {

/// Means over the ready replicas of usage / request; nothing where no replica is measured or none
/// asks for any.
struct UsageShares {
  std::optional<double> cpu;
  std::optional<double> memory;

  bool operator==(const UsageShares&) const = default;
};

/// A replica asks for what is in effect for it, else for what the service's settings say.
UsageShares usage_of(const cluster::Revision& revision);

}  // namespace bellows::autoscaler
