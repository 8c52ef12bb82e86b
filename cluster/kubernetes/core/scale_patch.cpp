#include "cluster/kubernetes/core/scale_patch.hpp"

#include <algorithm>

#include "kubernetes/core/patch.hpp"

namespace bellows::cluster {

std::string scale_patch(const std::string& uid, PodCount seen, PodCount desired, bool has_zero) {
  kubernetes::JsonPatch patch;
  patch.test("/metadata/uid", uid);
  if (seen == 0 && !has_zero) {
    patch.test_json("/spec", "{}");
  } else {
    patch.test("/spec/replicas", seen);
  }
  return patch.add_json("/spec/replicas", std::to_string(desired)).body();
}

std::optional<PodCount> shared_order(PodCount current, PodCount desired, PodCount hpa_min) {
  if (current == 0 && desired > 0) return 1;
  if (current > 0 && desired == 0 && current <= hpa_min) return 0;
  return std::nullopt;
}

std::vector<PodName> victims(const Revision& revision, const ScaleOrder& order) {
  if (order.desired <= 0) return {};
  std::vector<const Replica*> ready;
  PodCount there = 0;
  for (const ReplicaPtr& replica : revision.replicas) {
    if (replica->phase != ReplicaPhase::kDraining) ++there;
    if (replica->phase == ReplicaPhase::kReady) ready.push_back(replica.get());
  }
  const auto others = there - static_cast<PodCount>(ready.size());
  const PodCount wanted = there - order.desired - others;
  if (wanted <= 0) return {};
  const auto place = [&](const Replica* replica) {
    return std::ranges::find(order.drain_first, replica->name) - order.drain_first.begin();
  };
  std::ranges::stable_sort(ready, [&](const Replica* a, const Replica* b) {
    const auto of_a = place(a);
    const auto of_b = place(b);
    return of_a != of_b ? of_a < of_b : a->start.ordered > b->start.ordered;
  });
  std::vector<PodName> names;
  for (const Replica* replica : ready) {
    if (static_cast<PodCount>(names.size()) == wanted) break;
    names.push_back(replica->name);
  }
  return names;
}

}  // namespace bellows::cluster
