#include "cluster/core/not_ready.hpp"

namespace bellows::cluster {

std::string not_ready_because(const Revision& listed) {
  if (!listed.failure_message.empty()) return {};
  std::string because;
  for (const ReplicaPtr& replica : listed.replicas) {
    if (replica->phase == ReplicaPhase::kReady) return {};
    if (replica->phase == ReplicaPhase::kDraining || replica->phase == ReplicaPhase::kGone)
      continue;
    if (because.empty()) because = replica->failure_message;
  }
  return because;
}

}  // namespace bellows::cluster
