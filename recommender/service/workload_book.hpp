// Everything that is known, by workload.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "recommender/service/checkpoint_file.hpp"
#include "recommender/service/workload.hpp"

namespace bellows::recommender {

struct BookCounters {
  std::uint64_t booked = 0;
  std::uint64_t refused = 0;  ///< observations that made no sense
};

/// Owner: the service. Thread: the io thread. Found by a hash of the name, never by a search.
class WorkloadBook {
 public:
  /// The first of `policies` is the chosen one, the others run in its shadow.
  WorkloadBook(std::shared_ptr<const WorkloadSettings> settings,
               std::vector<config::RecommenderPolicy> policies);

  /// A workload is made by the first thing that is seen of it. What makes no sense is counted and
  /// logged, once in a while, with object, field and value; the rest is taken.
  void book(const std::vector<Observation>& seen);

  void recommend(WallTime now);

  Workload* find(const RevisionId& id);
  const Workload* find(const RevisionId& id) const;
  /// The workload of a replica that was seen; nullptr: none.
  Workload* of_replica(const PodName& replica);
  const std::map<RevisionId, std::unique_ptr<Workload>>& workloads() const { return workloads_; }
  const BookCounters& counters() const { return counters_; }

  SavedWorkloads save(WallTime now) const;
  /// The first state that cannot be used is the error; the others are restored.
  Result<void> restore(const SavedWorkloads& saved);

 private:
  Workload& at(const RevisionId& id);
  void refuse(const Observation& seen, const Error& error);

  const std::shared_ptr<const WorkloadSettings> settings_;  // shared with every policy
  const std::vector<config::RecommenderPolicy> policies_;
  std::map<RevisionId, std::unique_ptr<Workload>> workloads_;
  std::unordered_map<RevisionId, Workload*> by_id_;
  std::unordered_map<PodName, Workload*> by_replica_;
  BookCounters counters_;
};

}  // namespace bellows::recommender
