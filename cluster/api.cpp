#include "cluster/api.hpp"

#include "base/duration_text.hpp"

namespace bellows::cluster {

std::string reachability_note(const Cluster& cluster, TimePoint now) {
  const std::optional<TimePoint> since = cluster.unreachable_since();
  if (!since) return {};
  return "the cluster has not been reachable for " + rounded_duration_text(now - *since) +
         ", its last list stays";
}

}  // namespace bellows::cluster
