// All workloads with their policies.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "recommender/core/workload.hpp"
#include "recommender/service/checkpoint_file.hpp"

namespace bellows::recommender {

/// A revision of a service about which the recommender needs more than its usage.
struct SizedRevision {
  RevisionId id;
  RevisionId service;      ///< service whose callers it has; empty: it has no service
  bool is_serving = true;  ///< it gets requests
  config::ResourcesSettings resources = {};
};

struct ObservationCounters {
  std::uint64_t recorded = 0;
  std::uint64_t rejected = 0;  ///< invalid observations
};

/// Owner: the service. Thread: the io thread. Lookups are by hash of the name.
class WorkloadStore {
 public:
  /// The first of `policies` is the default of services without one of their own, the others are
  /// shadows.
  WorkloadStore(std::shared_ptr<const WorkloadSettings> settings,
                std::vector<config::RecommenderPolicy> policies);

  /// Sets the settings of a revision, each time they may have changed. A new revision begins with
  /// the data of the one that serves its service.
  void follow(const SizedRevision& revision, WallTime now);

  /// Records observations; a workload is created with its first one. Invalid observations are
  /// counted and logged at times, with object, field and value; the others are applied.
  void record(const std::vector<Observation>& observations);

  void recommend(WallTime now);

  Workload* find(const RevisionId& id);
  const Workload* find(const RevisionId& id) const;
  /// Returns the workload of an observed replica; nullptr: none.
  Workload* of_replica(const PodName& replica);
  const std::map<RevisionId, std::unique_ptr<Workload>>& workloads() const { return workloads_; }
  const ObservationCounters& counters() const { return counters_; }

  SavedWorkloads save(WallTime now) const;
  /// Restores the states. Returns the first error; the other states are restored.
  Result<void> restore(const SavedWorkloads& saved);

 private:
  Workload& at(const RevisionId& id);
  Workload* serving(const RevisionId& service);
  void log_rejected(const Observation& observation, const Error& error);

  const std::shared_ptr<const WorkloadSettings> settings_;  // shared with every policy
  const std::vector<config::RecommenderPolicy> policies_;
  std::map<RevisionId, std::unique_ptr<Workload>> workloads_;
  std::unordered_map<RevisionId, Workload*> by_id_;
  std::unordered_map<PodName, Workload*> by_replica_;
  std::unordered_map<RevisionId, RevisionId> serving_;  // by service: the revision followed last
  ObservationCounters counters_;
};

}  // namespace bellows::recommender
