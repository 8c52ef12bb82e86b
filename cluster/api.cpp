#include "cluster/api.hpp"

#include <algorithm>

namespace bellows::cluster {

std::string_view to_string(ReplicaPhase phase) {
  switch (phase) {
    case ReplicaPhase::kPending:
      return "pending";
    case ReplicaPhase::kStarting:
      return "starting";
    case ReplicaPhase::kReady:
      return "ready";
    case ReplicaPhase::kFailed:
      return "failed";
    case ReplicaPhase::kDraining:
      return "draining";
    case ReplicaPhase::kGone:
      return "gone";
  }
  return "unknown";
}

const Replica* Revision::find(const PodName& name) const {
  const auto found = std::ranges::find(replicas, name, &Replica::name);
  return found == replicas.end() ? nullptr : &*found;
}

PodCount Revision::count(ReplicaPhase phase) const {
  return static_cast<PodCount>(std::ranges::count(replicas, phase, &Replica::phase));
}

const Revision* Snapshot::find(const RevisionId& id) const {
  const auto found = std::ranges::find_if(
      revisions,
      [&](const std::shared_ptr<const Revision>& revision) { return revision->id == id; });
  return found == revisions.end() ? nullptr : found->get();
}

}  // namespace bellows::cluster
