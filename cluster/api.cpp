#include "cluster/api.hpp"

#include "base/duration_text.hpp"

namespace bellows::cluster {

const std::vector<Activator>& Cluster::activators() const {
  static const std::vector<Activator> none;
  return none;
}

void Cluster::route(RevisionId /*revision*/, PathOrder /*order*/) {}

std::string reachability_note(const Cluster& cluster, TimePoint now) {
  const std::optional<TimePoint> since = cluster.unreachable_since();
  if (!since) return {};
  return "the cluster has not been reachable for " + rounded_duration_text(now - *since) +
         ", its last list stays";
}

}  // namespace bellows::cluster
