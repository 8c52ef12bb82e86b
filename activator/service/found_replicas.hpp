// The replicas of a revision that take requests: those that the cluster calls ready, and starting
// ones that have answered a probe.
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

/// Which part of the replicas is that of an activator: by the activators of the path, or by its
/// settings.
struct OwnShare {
  ActivatorShare by_settings;  ///< unless the path names its activators
  PodName self;                ///< its name among them

  ActivatorShare of(const cluster::Path& path) const;
};

/// Remembers starting replicas that were found. Owner: a RevisionHome.
class FoundReplicas {
 public:
  /// A starting replica has answered: it takes requests before the cluster calls it ready.
  void add(const cluster::Replica& listed, TimePoint now);
  /// One that became ready, ended or was restarted has to be found anew.
  void forget_ended(const cluster::Revision& listed);
  void clear() { found_.clear(); }

  bool takes_requests(const cluster::Replica* replica) const;
  ReplicaView view_of(const cluster::Replica& replica) const;
  /// What changed since `before`; everything if that is null or had other settings.
  RevisionView view_since(const cluster::Revision* before, const cluster::Revision& now,
                          const OwnShare& share) const;

 private:
  /// As it was listed when it answered.
  struct Found {
    Endpoint address;
    int restarts = 0;
    TimePoint at{};
  };

  std::map<PodName, Found> found_;
};

}  // namespace bellows::activator
