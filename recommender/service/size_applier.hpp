// Carries recommendations out: what plan_sizes() decides goes to the cluster.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/sys/clock.hpp"
#include "cluster/api.hpp"
#include "cluster/resources.hpp"
#include "recommender/core/sizing_plan.hpp"
#include "recommender/service/workload_book.hpp"

namespace bellows::recommender {

/// What the applier needs to know of the rest of the program. All on the io thread.
struct Surroundings {
  std::function<ScalingState(const RevisionId&)> scaling;
  /// nullopt: unknown.
  std::function<std::optional<Bytes>(const RevisionId&, const PodName&)> memory_use;
};

/// How the sizing of one service stands.
struct SizingState {
  ReplicaSize for_new;
  std::string note;     ///< why it is advice only, or what is waited for
  std::string trouble;  ///< what the cluster said against the last size; empty: nothing
  std::uint64_t resizes = 0;
  std::uint64_t failures = 0;
};

/// Owner: the service. Thread: the io thread. One size after the other: each waits for the answer
/// to the one before.
class SizeApplier {
 public:
  /// All outlive it.
  SizeApplier(cluster::Cluster& cluster, cluster::SizeWriter& writer, const sys::Clock& clock,
              Surroundings surroundings);

  /// The sizes that replicas have, as far as they are others than at the last call; without a size
  /// of their own, the first requests.
  std::vector<Observation> requests(WallTime now);

  /// One round over all services that the cluster lists.
  http::Awaitable<void> apply(const WorkloadBook& book);

  /// The service of that name, or that of the replica, as the cluster lists it; nullptr: none.
  std::shared_ptr<const cluster::Revision> listed(const std::string& name) const;

  /// nullptr: resources-mode is off there, or it was not looked at yet.
  const SizingState* find(const RevisionId& service) const;
  const std::map<RevisionId, SizingState>& states() const { return states_; }

 private:
  SizingInput input_for(const cluster::Revision& service, const WorkloadBook& book) const;
  http::Awaitable<void> carry_out(RevisionId service, SizingPlan plan);
  void failed(const RevisionId& service, const Error& error);

  cluster::Cluster& cluster_;
  cluster::SizeWriter& writer_;
  const sys::Clock& clock_;
  const Surroundings surroundings_;
  std::map<RevisionId, SizingState> states_;
  std::map<PodName, Request> told_;
  std::map<PodName, TimePoint> resized_;
};

}  // namespace bellows::recommender
