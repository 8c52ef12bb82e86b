#include "autoscaler/service/app_restarts.hpp"

namespace bellows::autoscaler {

void AppRestarts::note(const std::vector<cluster::ReplicaPtr>& before,
                       const std::vector<cluster::ReplicaPtr>& now, TimePoint at) {
  for (const cluster::ReplicaChange& change : changed_replicas(before, now)) {
    if (change.now == nullptr) continue;
    const int had = change.before == nullptr ? 0 : change.before->restarts;
    if (change.now->restarts <= had) continue;
    if (last_.size() == kKept) last_.erase(last_.begin());
    last_.push_back({.at = at,
                     .replica = change.now->name,
                     .restarts = change.now->restarts,
                     .because = change.now->restarted_because});
  }
}

}  // namespace bellows::autoscaler
