#include "autoscaler/service/observed_revision.hpp"

#include <algorithm>
#include <utility>

#include "autoscaler/service/replica_usage.hpp"

namespace bellows::autoscaler {

ObservedRevision::ObservedRevision(cluster::RevisionPtr listed, Duration dead_after)
    : listed_(std::move(listed)), windows_(listed_->settings, dead_after), queues_(dead_after) {
  for (const cluster::ReplicaPtr& replica : listed_->replicas) {
    if (replica->phase == cluster::ReplicaPhase::kReady) started_.insert(replica->name);
  }
}

void ObservedRevision::update(cluster::RevisionPtr listed, TimePoint now) {
  if (listed->settings != listed_->settings) windows_.follow(listed->settings, now);
  const cluster::RevisionPtr before = std::exchange(listed_, std::move(listed));
  learn_starts(before->replicas);
  note_departed(before->replicas);
  if (claims_.empty()) return;
  claims_.keep([this](const PodName& name) { return listed_->find(name) != nullptr; });
}

/// Learns the start time from the replicas that became ready for the first time since `before`. A
/// replica whose probe failed meanwhile has not started again; one that was ready when it was first
/// listed may have become so again, long after its start.
void ObservedRevision::learn_starts(const std::vector<cluster::ReplicaPtr>& before) {
  for (const cluster::ReplicaChange& change : changed_replicas(before, listed_->replicas)) {
    if (change.now == nullptr) {
      started_.erase(change.before->name);
      continue;
    }
    const cluster::Replica& replica = *change.now;
    if (replica.phase != cluster::ReplicaPhase::kReady) continue;
    if (!started_.insert(replica.name).second || !replica.start.ready) continue;
    const Duration took = *replica.start.ready - replica.start.ordered;
    if (replica.restarts == 0) start_.add(took);
  }
}

/// Otherwise a dead replica would count as one that is newer than the list.
void ObservedRevision::note_departed(const std::vector<cluster::ReplicaPtr>& before) {
  for (const cluster::ReplicaChange& change : changed_replicas(before, listed_->replicas)) {
    if (change.now == nullptr) {
      departed_.push_back(change.before->name);
    } else if (change.before == nullptr) {
      std::erase(departed_, change.now->name);
    }
  }
}

metrics::RecordResult ObservedRevision::record(const metrics::Stat& stat, TimePoint now) {
  const metrics::RecordResult booking = windows_.record(stat, now);
  const bool is_news = booking == metrics::RecordResult::kRecorded;
  if (is_news) claims_.record(stat);
  if (is_news && stat.source == metrics::StatSource::kActivator) {
    queues_.record(stat.pod, stat.concurrency, now - stat.age, stat.unreachable);
  }
  return booking;
}

void ObservedRevision::record(const metrics::ScaleFromZeroTrigger& trigger, TimePoint now) {
  // A trigger means at least one waiting request, even if it does not count them.
  queues_.record(trigger.pod, static_cast<double>(std::max<std::uint64_t>(1, trigger.waiting)),
                 now);
}

void ObservedRevision::count_replicas(Observation& seen, PodCount reporting, TimePoint now) const {
  for (const cluster::ReplicaPtr& replica : listed_->replicas) {
    const bool reports = windows_.sources().reports(replica->name, now);
    if (reports) --reporting;
    switch (replica->phase) {
      case cluster::ReplicaPhase::kReady:
        ++seen.ready;
        ++(reports ? seen.observed : seen.not_reporting);
        break;
      case cluster::ReplicaPhase::kFailed:
        ++seen.failing;
        [[fallthrough]];
      case cluster::ReplicaPhase::kPending:
      case cluster::ReplicaPhase::kStarting:
        ++seen.starting;
        break;
      case cluster::ReplicaPhase::kDraining:
      case cluster::ReplicaPhase::kGone:
        break;
    }
  }
  // The list may be older than the stream: a replica that reports and is not listed serves.
  seen.observed += reporting;
}

Observation ObservedRevision::observe(TimePoint now) {
  Observation seen = windows_.view(now);
  const PodCount reporting = std::exchange(seen.observed, 0);
  seen.start_time = start_.usual();
  seen.start_spread = start_.spread();
  std::erase_if(departed_,
                [&](const PodName& name) { return !windows_.sources().reports(name, now); });
  count_replicas(seen, reporting - static_cast<PodCount>(departed_.size()), now);
  seen.requested = std::min(listed_->requested, kMaxReplicas);
  seen.waiting = queues_.waiting(now);
  const UsageShares usage = usage_of(*listed_);
  seen.cpu = usage.cpu;
  seen.memory = usage.memory;
  seen.is_retired = listed_->is_retired();
  seen.is_paused = listed_->is_paused();
  seen.does_activator_answer = listed_->path.state == cluster::PathState::kHeld;
  return seen;
}

std::vector<PodName> ObservedRevision::idle_first() const {
  using Rank = std::pair<bool, Concurrency>;
  std::vector<std::pair<Rank, const cluster::Replica*>> ready;
  for (const cluster::ReplicaPtr& replica : listed_->replicas) {
    if (replica->phase != cluster::ReplicaPhase::kReady) continue;
    const Rank rank(claims_.is_occupied(replica->name), in_flight(replica->name).value_or(0));
    ready.emplace_back(rank, replica.get());
  }
  std::stable_sort(ready.begin(), ready.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second->start.ordered > b.second->start.ordered;
  });
  std::vector<PodName> names;
  names.reserve(ready.size());
  for (const auto& [rank, replica] : ready) names.push_back(replica->name);
  return names;
}

std::optional<Concurrency> ObservedRevision::in_flight(const PodName& replica) const {
  const auto reading = windows_.sources().latest(replica);
  if (!reading) return std::nullopt;
  return reading->concurrency;
}

}  // namespace bellows::autoscaler
