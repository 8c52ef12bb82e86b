// Requests paths from the cluster.
#pragma once

#include <map>
#include <vector>

#include "autoscaler/core/activators/wanted_path.hpp"
#include "autoscaler/service/activator_streams.hpp"
#include "base/ids.hpp"
#include "cluster/api.hpp"

namespace bellows::autoscaler {

/// Sends a request when it differs from the last one, to a cluster that lists activators. Owner:
/// the service. Thread: the io thread.
class PathApplier {
 public:
  /// Both outlive it.
  PathApplier(cluster::Cluster& cluster, ActivatorStreams& streams);

  /// Call it when the activators of the cluster, or their streams, have changed.
  void activators_changed();

  void decided(const RevisionId& revision, const Decision& decision);
  void forget(const RevisionId& revision) { asked_.erase(revision); }

 private:
  struct Asked {
    cluster::PathOrder order;  // the last one; its reason is empty before the first
    PathMemory memory;
  };

  cluster::Cluster& cluster_;
  ActivatorStreams& streams_;
  std::vector<PodName> usable_;  // by name
  std::map<RevisionId, Asked> asked_;
};

}  // namespace bellows::autoscaler
