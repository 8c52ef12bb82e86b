#include "recommender/service/workload_store.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::recommender {

WorkloadStore::WorkloadStore(std::shared_ptr<const WorkloadSettings> settings,
                             std::vector<config::RecommenderPolicy> policies)
    : settings_(std::move(settings)), policies_(std::move(policies)) {}

void WorkloadStore::follow(const SizedRevision& revision, WallTime now) {
  const bool is_new = find(revision.id) == nullptr;
  Workload& workload = at(revision.id);
  std::vector<config::RecommenderPolicy> policies = policies_;
  policies.front() = policy_of(revision.resources, policies_.front());
  policies.erase(std::remove(policies.begin() + 1, policies.end(), policies.front()),
                 policies.end());
  workload.run(policies, now);
  workload.limit({container_policy(revision.resources)});
  if (revision.service.empty()) return;
  Workload* const earlier = serving(revision.service);
  if (is_new && earlier != nullptr) {
    workload.begin_after(*earlier, now);
    sys::log::info("new revision inherits sizes", {{"service", revision.service.text()},
                                                   {"from", earlier->id().text()},
                                                   {"to", revision.id.text()}});
  }
  if (revision.is_serving) serving_.insert_or_assign(revision.service, revision.id);
}

/// Returns nullptr if none is known.
Workload* WorkloadStore::serving(const RevisionId& service) {
  const auto known = serving_.find(service);
  return known == serving_.end() ? nullptr : find(known->second);
}

void WorkloadStore::record(const std::vector<Observation>& observations) {
  for (const Observation& each : observations) {
    Workload& workload = at(each.workload);
    if (std::holds_alternative<Gone>(each.what)) {
      by_replica_.erase(each.replica);
    } else {
      by_replica_[each.replica] = &workload;
    }
    const auto taken = workload.take(each);
    ++(taken ? counters_.recorded : counters_.rejected);
    if (!taken) log_rejected(each, taken.error());
  }
}

/// Logs the 1st, 2nd, 4th, 8th, ..., because a broken source would fill the log.
void WorkloadStore::log_rejected(const Observation& observation, const Error& error) {
  if (!std::has_single_bit(counters_.rejected)) return;
  sys::log::warning("observation rejected", {{"workload", observation.workload.text()},
                                             {"replica", observation.replica.text()},
                                             {"error", to_string(error)},
                                             {"rejected", counters_.rejected}});
}

void WorkloadStore::recommend(WallTime now) {
  for (auto& [id, workload] : workloads_) workload->recommend(now);
}

Workload& WorkloadStore::at(const RevisionId& id) {
  if (Workload* known = find(id)) return *known;
  auto& made = workloads_[id];
  made = std::make_unique<Workload>(id, settings_, policies_);
  by_id_[id] = made.get();
  return *made;
}

Workload* WorkloadStore::find(const RevisionId& id) {
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : place->second;
}

const Workload* WorkloadStore::find(const RevisionId& id) const {
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : place->second;
}

Workload* WorkloadStore::of_replica(const PodName& replica) {
  const auto place = by_replica_.find(replica);
  return place == by_replica_.end() ? nullptr : place->second;
}

SavedWorkloads WorkloadStore::save(WallTime now) const {
  SavedWorkloads saved;
  for (const auto& [id, workload] : workloads_) saved[id] = workload->save(now);
  return saved;
}

Result<void> WorkloadStore::restore(const SavedWorkloads& saved) {
  Result<void> first_error;
  for (const auto& [id, states] : saved) {
    auto restored = at(id).restore(states);
    if (!restored && first_error) first_error = std::move(restored);
  }
  return first_error;
}

}  // namespace bellows::recommender
