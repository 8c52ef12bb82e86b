#include "recommender/service/workload_book.hpp"

#include <bit>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::recommender {

WorkloadBook::WorkloadBook(std::shared_ptr<const WorkloadSettings> settings,
                           std::vector<config::RecommenderPolicy> policies)
    : settings_(std::move(settings)), policies_(std::move(policies)) {}

void WorkloadBook::book(const std::vector<Observation>& seen) {
  for (const Observation& each : seen) {
    Workload& workload = at(each.workload);
    if (std::holds_alternative<Gone>(each.what)) {
      by_replica_.erase(each.replica);
    } else {
      by_replica_[each.replica] = &workload;
    }
    const auto taken = workload.take(each);
    ++(taken ? counters_.booked : counters_.refused);
    if (!taken) refuse(each, taken.error());
  }
}

/// A source gone wrong would fill the log: the 1st, 2nd, 4th, 8th, ... are told.
void WorkloadBook::refuse(const Observation& seen, const Error& error) {
  if (!std::has_single_bit(counters_.refused)) return;
  sys::log::warning("observation refused", {{"workload", seen.workload.text()},
                                            {"replica", seen.replica.text()},
                                            {"error", to_string(error)},
                                            {"refused", counters_.refused}});
}

void WorkloadBook::recommend(WallTime now) {
  for (auto& [id, workload] : workloads_) workload->recommend(now);
}

Workload& WorkloadBook::at(const RevisionId& id) {
  if (Workload* known = find(id)) return *known;
  auto& made = workloads_[id];
  made = std::make_unique<Workload>(id, settings_, policies_);
  by_id_[id] = made.get();
  return *made;
}

Workload* WorkloadBook::find(const RevisionId& id) {
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : place->second;
}

const Workload* WorkloadBook::find(const RevisionId& id) const {
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : place->second;
}

Workload* WorkloadBook::of_replica(const PodName& replica) {
  const auto place = by_replica_.find(replica);
  return place == by_replica_.end() ? nullptr : place->second;
}

SavedWorkloads WorkloadBook::save(WallTime now) const {
  SavedWorkloads saved;
  for (const auto& [id, workload] : workloads_) saved[id] = workload->save(now);
  return saved;
}

Result<void> WorkloadBook::restore(const SavedWorkloads& saved) {
  Result<void> first;
  for (const auto& [id, states] : saved) {
    auto restored = at(id).restore(states);
    if (!restored && first) first = std::move(restored);
  }
  return first;
}

}  // namespace bellows::recommender
