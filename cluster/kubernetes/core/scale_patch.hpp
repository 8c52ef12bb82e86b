// Orders in the form of the API server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "cluster/core/orders.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// Returns a JSON patch of /scale: `desired` replicas, provided that the target still has `uid` and
/// asks for `seen`. Any other change of the target does not matter, while a PUT would fail with
/// 409. `has_zero`: whether this server writes a Scale of zero replicas with "replicas":0; those of
/// 1.20 to 1.36 leave it out.
std::string scale_patch(const std::string& uid, PodCount seen, PodCount desired,
                        bool has_zero = false);

/// Returns the number to write if a HorizontalPodAutoscaler shares the target (spec.with: hpa):
/// from zero to one, and from its minimum to zero. nullopt: the number is left to the
/// HorizontalPodAutoscaler. Source: it leaves a target at zero alone (ScalingActive=False, reason
/// ScalingDisabled).
std::optional<PodCount> shared_order(PodCount current, PodCount desired, PodCount hpa_min);

/// Returns the ready pods that end at a scale-down to `desired`: in the order of ScaleOrder, after
/// the pods that are not ready, which Kubernetes ends first by itself; none that the order keeps.
/// Empty at zero, because all end.
std::vector<PodName> victims(const Revision& revision, const ScaleOrder& order);

/// Returns why a scale-down would end a pod that the order keeps; empty: it ends none. Kubernetes
/// ends pods that are not ready before it compares costs.
std::string endangers_kept(const Revision& revision, const ScaleOrder& order,
                           bool has_deletion_cost);

/// Returns the number to write so that Kubernetes chooses nothing by itself while pods are kept: at
/// most `most_victims` fewer ready ones at a time. The rest follows with the next order.
PodCount in_steps(const Revision& revision, const ScaleOrder& order, std::size_t most_victims);

}  // namespace bellows::cluster
