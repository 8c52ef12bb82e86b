#include "autoscaler/core/occupancy.hpp"

namespace bellows::autoscaler {

void ReplicaClaims::record(const metrics::Stat& stat) {
  if (stat.source != metrics::StatSource::kReplica) return;
  if (stat.is_occupied || stat.counter) {
    claims_[stat.pod] = {stat.is_occupied, stat.counter};
  } else if (!claims_.empty()) {
    claims_.erase(stat.pod);
  }
}

bool ReplicaClaims::is_occupied(const PodName& replica) const {
  const auto found = claims_.find(replica);
  return found != claims_.end() && found->second.is_occupied;
}

std::optional<metrics::ReplicaCounter> ReplicaClaims::counter(const PodName& replica) const {
  const auto found = claims_.find(replica);
  return found == claims_.end() ? std::nullopt : found->second.counter;
}

}  // namespace bellows::autoscaler
