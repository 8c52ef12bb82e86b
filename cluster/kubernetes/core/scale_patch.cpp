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

namespace {

bool is_kept(const ScaleOrder& order, const Replica& replica) {
  return std::ranges::find(order.keep, replica.name) != order.keep.end();
}

}  // namespace

std::vector<PodName> victims(const Revision& revision, const ScaleOrder& order) {
  if (order.desired <= 0) return {};
  std::vector<const Replica*> ready;
  PodCount there = 0;
  PodCount others = 0;
  for (const ReplicaPtr& replica : revision.replicas) {
    if (replica->phase == ReplicaPhase::kDraining) continue;
    ++there;
    const bool is_ready = replica->phase == ReplicaPhase::kReady;
    if (!is_ready) ++others;
    if (is_ready && !is_kept(order, *replica)) ready.push_back(replica.get());
  }
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

std::string endangers_kept(const Revision& revision, const ScaleOrder& order,
                           bool has_deletion_cost) {
  if (order.keep.empty()) return {};
  const bool is_one = order.keep.size() == 1;
  const std::string occupied = std::to_string(order.keep.size()) +
                               (is_one ? " replica is occupied" : " replicas are occupied");
  if (!has_deletion_cost) {
    return occupied + ", and which pods end can be chosen from Kubernetes 1.22 on";
  }
  if (order.desired < static_cast<PodCount>(order.keep.size())) {
    return occupied + ", and only " + std::to_string(order.desired) + " would be left";
  }
  for (const ReplicaPtr& replica : revision.replicas) {
    const bool ends_first =
        replica->phase != ReplicaPhase::kReady && replica->phase != ReplicaPhase::kDraining;
    if (!ends_first || !is_kept(order, *replica)) continue;
    return "pod " + replica->name.text() +
           " is occupied and not ready: Kubernetes would end it before others";
  }
  return {};
}

PodCount in_steps(const Revision& revision, const ScaleOrder& order, std::size_t most_victims) {
  const std::size_t count = victims(revision, order).size();
  if (order.keep.empty() || count <= most_victims) return order.desired;
  return order.desired + static_cast<PodCount>(count - most_victims);
}

}  // namespace bellows::cluster
