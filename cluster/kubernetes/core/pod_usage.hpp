// What pods use and what they request, without their queue-proxies.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "base/replica_size.hpp"
#include "base/time.hpp"
#include "cluster/core/revision.hpp"
#include "kubernetes/core/pod.hpp"
#include "kubernetes/core/pod_metrics.hpp"

namespace bellows::cluster {

/// Age at which a measurement no longer counts. metrics-server measures every 15 s, most others
/// every 60 s.
inline constexpr Duration kUsageAge = std::chrono::minutes(2);

/// By "NAMESPACE/NAME" of the pod.
using PodUsages = std::unordered_map<std::string, Usage>;

/// Returns the sum over all containers but the queue-proxy; nullopt if it was measured more than
/// kUsageAge before or after `now`, or if nothing but the queue-proxy was measured.
std::optional<Usage> usage_of(const kubernetes::PodMetrics& measured, WallTime now);

/// Returns the sum of the requests of all containers but the queue-proxy. Where one of them has no
/// request of a resource, that of the pod is unset, as a HorizontalPodAutoscaler has it.
ReplicaSize requests_of(const kubernetes::Pod& pod);

}  // namespace bellows::cluster
