// One revision as observed in the stat stream and the cluster.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "autoscaler/core/load/activator_queues.hpp"
#include "autoscaler/core/load/learned_start.hpp"
#include "autoscaler/core/load/load_windows.hpp"
#include "autoscaler/core/observation.hpp"
#include "autoscaler/core/occupancy.hpp"
#include "cluster/core/revision.hpp"
#include "metrics/stat.hpp"

namespace bellows::autoscaler {

/// Combines windows, the activators' queues and the cluster's list. Owner: the registry. Thread:
/// the io thread.
class ObservedRevision {
 public:
  /// A source without a report for `dead_after` counts as dead.
  ObservedRevision(cluster::RevisionPtr listed, Duration dead_after);

  /// Takes the cluster's new list; changed windows keep their history. It reads only the replicas
  /// that changed.
  void update(cluster::RevisionPtr listed, TimePoint now);

  metrics::RecordResult record(const metrics::Stat& stat, TimePoint now);
  void record(const metrics::ScaleFromZeroTrigger& trigger, TimePoint now);

  Observation observe(TimePoint now);

  /// Returns ready replicas, the least busy first, then those that report that they are occupied;
  /// among equals the youngest first.
  std::vector<PodName> idle_first() const;

  /// Returns the requests in flight of the replica's last report; nullopt without a report.
  std::optional<Concurrency> in_flight(const PodName& replica) const;

  /// Returns the activators that reported the revision recently, by name.
  std::vector<std::string> activators(TimePoint now) const { return queues_.reporting(now); }

  /// Returns the activators that reach no ready replica at its address, by name.
  std::vector<PodName> kept_away(TimePoint now) const { return queues_.kept_away(now); }

  const cluster::Revision& listed() const { return *listed_; }
  const cluster::RevisionPtr& share_listed() const { return listed_; }

  /// Returns the replicas' reports about themselves.
  const ReplicaClaims& claims() const { return claims_; }

 private:
  void learn_starts(const std::vector<cluster::ReplicaPtr>& before);
  void note_departed(const std::vector<cluster::ReplicaPtr>& before);
  /// Counts the replicas. `reporting` of them are in the stat stream.
  void count_replicas(Observation& seen, PodCount reporting, TimePoint now) const;

  cluster::RevisionPtr listed_;  // shared with the cluster's list
  LoadWindows windows_;
  LearnedStart start_;
  ActivatorQueues queues_;
  ReplicaClaims claims_;
  std::set<PodName> started_;      // replicas on the list that have been ready
  std::vector<PodName> departed_;  // removed from the list, but their last reports still count
};

}  // namespace bellows::autoscaler
