// The replicas of a revision that take requests: those that the cluster lists as ready, and
// starting ones that have answered a probe.
#pragma once

#include <map>

#include "activator/core/revision_throttler.hpp"
#include "base/endpoint.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "cluster/core/path.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::activator {

bool is_ready(const cluster::Replica* replica);
bool is_starting(const cluster::Replica& replica);

/// Returns the part of the replicas that belongs to the activator `self`: all of them unless the
/// path names its activators.
ActivatorShare share_of(const cluster::Path& path, const PodName& self);

/// Remembers starting replicas that were found. Owner: a RevisionHome.
class FoundReplicas {
 public:
  /// Adds a starting replica that has answered: it takes requests before the cluster lists it as
  /// ready.
  void add(const cluster::Replica& listed, TimePoint now);
  /// Forgets replicas that became ready, ended or were restarted: they have to be found again.
  void forget_ended(const cluster::Revision& listed);
  void clear() { found_.clear(); }

  bool takes_requests(const cluster::Replica* replica) const;
  ReplicaView view_of(const cluster::Replica& replica) const;
  /// Returns what changed since `before`; everything if that is null or had other settings.
  RevisionView view_since(const cluster::Revision* before, const cluster::Revision& now,
                          const PodName& self) const;

 private:
  /// A replica as it was listed when it answered.
  struct Found {
    Endpoint address;
    int restarts = 0;
    TimePoint at{};
  };

  std::map<PodName, Found> found_;
};

}  // namespace bellows::activator
