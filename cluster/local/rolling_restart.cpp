#include "cluster/local/rolling_restart.hpp"

#include <algorithm>

namespace bellows::cluster {

namespace {

bool stays(const Replica& replica) {
  return replica.phase != ReplicaPhase::kDraining && replica.phase != ReplicaPhase::kGone;
}

}  // namespace

void RollingRestart::begin(std::span<const Replica> oldest_first) {
  old_.clear();
  for (const Replica& replica : oldest_first) {
    if (stays(replica)) old_.push_back(replica.name);
  }
}

RollingRestart::Step RollingRestart::next(std::span<const Replica> oldest_first, PodCount wanted) {
  std::vector<PodName> old_left;
  PodCount staying = 0;
  bool are_new_ready = true;
  for (const Replica& replica : oldest_first) {
    if (!stays(replica)) continue;
    ++staying;
    if (std::ranges::find(old_, replica.name) != old_.end()) {
      // A replica that serves nothing is replaced first.
      const auto before = replica.phase == ReplicaPhase::kReady ? old_left.end() : old_left.begin();
      old_left.insert(before, replica.name);
    } else if (replica.phase != ReplicaPhase::kReady) {
      are_new_ready = false;
    }
  }
  old_ = std::move(old_left);
  if (old_.empty() || !are_new_ready) return {};
  if (staying <= wanted) return {.what = Step::What::kAdd, .replica = {}};
  return {.what = Step::What::kDrain, .replica = old_.front()};
}

}  // namespace bellows::cluster
