// Turns a pod into a replica.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.hpp"
#include "cluster/core/revision.hpp"
#include "kubernetes/core/pod.hpp"

namespace bellows::cluster {

/// One instant on both clocks: the API server writes calendar times.
struct Clocks {
  TimePoint now;
  WallTime wall;
};

struct PodReplica {
  Replica replica;  ///< phase kGone: the pod has ended and is not listed
  /// When it becomes kFailed, if it does not become ready before; nullopt: it is ready, failed or
  /// terminating.
  std::optional<TimePoint> deadline;
};

/// `port`: where it takes requests (spec.port); nullopt: the port that the container queue-proxy
/// names queue-port, or 8012. Phases:
/// - Succeeded and Failed (evicted, node lost): kGone. Terminating: kDraining.
/// - Condition Ready: kReady.
/// - An image that cannot be pulled, a container that crashed or cannot be created: kFailed, with
///   container and reason. Not ready within `progress_deadline` of its creation: kFailed.
/// - Not scheduled: kPending, with the scheduler's message. Else kStarting once a container runs.
PodReplica replica_of(const kubernetes::Pod& pod, std::optional<std::uint16_t> port,
                      Duration progress_deadline, const Clocks& clocks);

/// Returns the key of the target that owns the pod through its controller: "apps/Deployment
/// shop/web" for a pod of ReplicaSet web-HASH, whose hash is the label pod-template-hash. Empty:
/// the pod alone does not tell.
std::string owner_key(const kubernetes::Pod& pod);

}  // namespace bellows::cluster
