#include "cluster/local/drain_order.hpp"

#include <algorithm>
#include <tuple>

namespace bellows::cluster {

namespace {

int readiness_rank(ReplicaPhase phase) {
  switch (phase) {
    case ReplicaPhase::kFailed:
      return 0;
    case ReplicaPhase::kPending:
      return 1;
    case ReplicaPhase::kStarting:
      return 2;
    default:
      return 3;
  }
}

bool is_draining(const Replica& replica) {
  return replica.phase == ReplicaPhase::kDraining || replica.phase == ReplicaPhase::kGone;
}

}  // namespace

std::vector<PodName> replicas_to_drain(std::span<const Replica> oldest_first, PodCount desired,
                                       std::span<const PodName> drain_first,
                                       std::span<const PodName> keep) {
  // The smallest drains first.
  using Rank = std::tuple<bool, int, std::ptrdiff_t, std::ptrdiff_t>;
  std::vector<std::pair<Rank, PodName>> staying;
  for (std::size_t age = 0; age < oldest_first.size(); ++age) {
    const Replica& replica = oldest_first[age];
    if (is_draining(replica)) continue;
    const auto named = std::ranges::find(drain_first, replica.name) - drain_first.begin();
    const bool is_kept = std::ranges::find(keep, replica.name) != keep.end();
    staying.emplace_back(
        Rank(is_kept, readiness_rank(replica.phase), named, -static_cast<std::ptrdiff_t>(age)),
        replica.name);
  }
  std::ranges::sort(staying);
  const auto excess = std::max<std::ptrdiff_t>(0, std::ssize(staying) - std::max(desired, 0));
  std::vector<PodName> drained;
  for (std::ptrdiff_t i = 0; i < excess; ++i) {
    drained.push_back(staying[static_cast<std::size_t>(i)].second);
  }
  return drained;
}

}  // namespace bellows::cluster
