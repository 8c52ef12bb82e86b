// What replicas say of themselves in their stats: that they are occupied, and a number they count.
#pragma once

#include <map>
#include <optional>

#include "base/ids.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// The claims of the replicas of one revision. A replica that does not report any more stays as it
/// was: it may still be busy. Owner: an observed revision. Pure.
class ReplicaClaims {
 public:
  void record(const metrics::Stat& stat) {
    if (stat.source != metrics::StatSource::kReplica) return;
    if (stat.is_occupied || stat.counter) {
      claims_[stat.pod] = {stat.is_occupied, stat.counter};
    } else {
      claims_.erase(stat.pod);
    }
  }
  /// Forgets replicas for which `is_listed` is false.
  template <class IsListed>
  void keep(IsListed is_listed) {
    std::erase_if(claims_, [&](const auto& claim) { return !is_listed(claim.first); });
  }

  bool is_occupied(const PodName& replica) const {
    const auto found = claims_.find(replica);
    return found != claims_.end() && found->second.is_occupied;
  }
  std::optional<metrics::ReplicaCounter> counter(const PodName& replica) const {
    const auto found = claims_.find(replica);
    return found == claims_.end() ? std::nullopt : found->second.counter;
  }
  bool empty() const { return claims_.empty(); }

 private:
  struct Claim {
    bool is_occupied = false;
    std::optional<metrics::ReplicaCounter> counter;
  };
  std::map<PodName, Claim> claims_;  // only of those that say something
};

}  // namespace bellows::autoscaler
