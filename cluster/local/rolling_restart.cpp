#include "cluster/local/rolling_restart.hpp"

#include <algorithm>
#include <utility>

namespace bellows::cluster {

namespace {

bool stays(const Replica& replica) {
  return replica.phase != ReplicaPhase::kDraining && replica.phase != ReplicaPhase::kGone;
}

/// Returns the newest of those that are not ready, otherwise the newest.
PodName last_to_serve(std::span<const Replica> oldest_first) {
  const Replica* last = nullptr;
  for (const Replica& replica : oldest_first) {
    if (!stays(replica)) continue;
    const bool is_ready = replica.phase == ReplicaPhase::kReady;
    if (last == nullptr || !is_ready || last->phase == ReplicaPhase::kReady) last = &replica;
  }
  return last->name;
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
  const bool was_under_way = !std::exchange(old_, std::move(old_left)).empty();
  if (was_under_way && old_.empty() && staying > wanted) {
    return {.what = Step::What::kDrain, .replica = last_to_serve(oldest_first)};
  }
  if (old_.empty() || !are_new_ready) return {};
  if (staying <= wanted) return {.what = Step::What::kAdd, .replica = {}};
  return {.what = Step::What::kDrain, .replica = old_.front()};
}

}  // namespace bellows::cluster
