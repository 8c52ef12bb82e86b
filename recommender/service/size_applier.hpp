// Applies recommendations: sends the decisions of plan_sizes() to the cluster.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "cluster/resources.hpp"
#include "recommender/core/sizing_plan.hpp"
#include "recommender/service/workload_store.hpp"

namespace bellows::recommender {

/// Dependencies of the applier on the rest of the program. All of them run on the io thread.
struct SizingDependencies {
  std::function<ScalingState(const RevisionId&)> scaling;
  /// Returns nullopt if it is unknown.
  std::function<std::optional<Bytes>(const RevisionId&, const PodName&)> memory_use;
};

/// The state of sizing of one service.
struct SizingState {
  ReplicaSize for_new;
  std::string note;        ///< why it is advice only, or what it waits for
  std::string last_error;  ///< why the cluster rejected the last size; empty: accepted
  std::uint64_t resizes = 0;
  std::uint64_t failures = 0;
  config::ResourcesSettings settings = {};  ///< of the service
  bool is_told = false;                     ///< the cluster has for_new
};

/// Owner: the service. Thread: the io thread. Sizes are applied one after the other: each waits for
/// the response to the previous one.
class SizeApplier {
 public:
  /// All arguments must outlive it.
  SizeApplier(cluster::Cluster& cluster, cluster::SizeWriter& writer, const sys::Clock& clock,
              SizingDependencies dependencies);

  /// Returns the sizes of replicas that changed since the last call; for replicas without a size
  /// the first requests.
  std::vector<Observation> requests(WallTime now);

  /// Returns the services that are sized, by name.
  std::vector<SizedRevision> sized() const;

  /// Returns the size of the first replicas of a revision that is not listed yet.
  ReplicaSize size_of_first(const config::Service& revision, const Workload& workload) const;

  /// Makes one pass over all services that the cluster lists.
  http::Awaitable<void> apply(const WorkloadStore& store);

  /// Returns the listed revision of that name, or the one with most requests of the service of that
  /// name, or that of the replica of that name; nullptr: none.
  cluster::RevisionPtr listed(const std::string& name) const;

  /// Returns nullptr if its resources-mode is off, or if it was not processed yet.
  const SizingState* find(const RevisionId& service) const;
  const std::map<RevisionId, SizingState>& states() const { return states_; }

 private:
  using ReplicaKey = std::pair<RevisionId, PodName>;  // a name is unique only within its service

  SizingInput input_for(const cluster::Revision& service, const WorkloadStore& store) const;
  http::Awaitable<void> carry_out(RevisionId service, SizingPlan plan);
  void failed(const RevisionId& service, const Error& error);

  cluster::Cluster& cluster_;
  cluster::SizeWriter& writer_;
  const sys::Clock& clock_;
  const SizingDependencies dependencies_;
  std::map<RevisionId, SizingState> states_;
  std::map<ReplicaKey, Request> reported_;
  std::map<ReplicaKey, TimePoint> resized_;
};

}  // namespace bellows::recommender
