// Orders as the API server takes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "cluster/core/orders.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::cluster {

/// A JSON patch of /scale: `desired` replicas, provided that the target is still the one with `uid`
/// and asks for `seen`. Anything else that changes in the target meanwhile does not matter, where a
/// PUT would get 409 for it. `has_zero`: whether this server writes a Scale of zero replicas with
/// "replicas":0; those of 1.20 to 1.36 leave it out.
std::string scale_patch(const std::string& uid, PodCount seen, PodCount desired,
                        bool has_zero = false);

/// What is written where a HorizontalPodAutoscaler shares the target (spec.with: hpa): from zero to
/// one, and from its minimum to zero. Nothing: the number is for the HorizontalPodAutoscaler.
/// Source: it leaves a target at zero alone (ScalingActive=False, reason ScalingDisabled).
std::optional<PodCount> shared_order(PodCount current, PodCount desired, PodCount hpa_min);

/// The pods that end at a scale-down to `desired`, of those that are ready: in the order of
/// ScaleOrder, after the ones that are not ready, which Kubernetes takes first by itself; none that
/// the order keeps. Empty at zero, because all end.
std::vector<PodName> victims(const Revision& revision, const ScaleOrder& order);

/// Why a scale-down would end a pod that the order keeps; empty: it ends none. Kubernetes takes
/// pods that are not ready before it looks at their cost.
std::string endangers_kept(const Revision& revision, const ScaleOrder& order,
                           bool has_deletion_cost);

/// The number to write so that Kubernetes chooses nothing by itself where pods are kept: at most
/// `most_victims` fewer ready ones at a time. The rest follows with the next order.
PodCount in_steps(const Revision& revision, const ScaleOrder& order, std::size_t most_victims);

}  // namespace bellows::cluster
