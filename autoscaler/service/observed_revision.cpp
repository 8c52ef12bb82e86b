#include "autoscaler/service/observed_revision.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

namespace bellows::autoscaler {
namespace {

WindowLoad load_of(const metrics::WindowView& view) {
  return {.total = view.total, .per_pod = view.per_pod, .covered_seconds = view.covered_seconds};
}

}  // namespace

ObservedRevision::ObservedRevision(std::shared_ptr<const cluster::Revision> listed,
                                   Duration dead_after)
    : listed_(std::move(listed)),
      dead_after_(dead_after),
      windows_(listed_->settings.window, listed_->settings.panic_window(), dead_after) {}

void ObservedRevision::update(std::shared_ptr<const cluster::Revision> listed) {
  const config::RevisionSettings& before = listed_->settings;
  const config::RevisionSettings& after = listed->settings;
  if (before.window != after.window || before.panic_window() != after.panic_window()) {
    windows_.resize(after.window, after.panic_window());
  }
  listed_ = std::move(listed);
}

metrics::Booking ObservedRevision::record(const metrics::Stat& stat, TimePoint now) {
  const metrics::Booking booking = windows_.record(stat, now);
  if (booking != metrics::Booking::kBooked || stat.source != metrics::StatSource::kActivator) {
    return booking;
  }
  const TimePoint end = now - stat.age;
  Queue& queue = queues_[stat.pod];
  if (end >= queue.heard) queue = {.waiting = stat.concurrency, .heard = end};
  return booking;
}

void ObservedRevision::record(const metrics::Wake& wake, TimePoint now) {
  // Whoever says it needs a replica waits, even if it did not say how many do.
  const auto waiting = static_cast<double>(std::max<std::uint64_t>(1, wake.waiting));
  queues_[wake.pod] = {.waiting = waiting, .heard = now};
}

std::uint64_t ObservedRevision::waiting(TimePoint now) {
  std::erase_if(queues_, [&](const auto& queue) { return now - queue.second.heard > dead_after_; });
  double sum = 0;
  for (const auto& [activator, queue] : queues_) sum += queue.waiting;
  return static_cast<std::uint64_t>(std::ceil(sum));
}

void ObservedRevision::count_replicas(Observation& seen, TimePoint now) const {
  std::unordered_set<PodName> reporting;
  for (metrics::PodReading& reading : windows_.pods(now)) reporting.insert(std::move(reading.pod));
  for (const cluster::Replica& replica : listed_->replicas) {
    const bool reports = reporting.erase(replica.name) > 0;
    switch (replica.phase) {
      case cluster::ReplicaPhase::kReady:
        ++seen.ready;
        ++(reports ? seen.observed : seen.silent);
        break;
      case cluster::ReplicaPhase::kPending:
      case cluster::ReplicaPhase::kStarting:
      case cluster::ReplicaPhase::kFailed:
        ++seen.starting;
        break;
      case cluster::ReplicaPhase::kDraining:
      case cluster::ReplicaPhase::kGone:
        break;
    }
  }
  // The list may be older than the stream: who reports and is not listed serves.
  seen.observed += static_cast<PodCount>(reporting.size());
}

Observation ObservedRevision::observe(TimePoint now) {
  Observation seen;
  seen.stable = load_of(windows_.average(metrics::Window::kStable, now));
  seen.panic = load_of(windows_.average(metrics::Window::kPanic, now));
  count_replicas(seen, now);
  seen.requested = listed_->requested;
  seen.waiting = waiting(now);
  seen.last_load = windows_.last_load();
  seen.is_retired = listed_->retired;
  return seen;
}

std::vector<PodName> ObservedRevision::idle_first() const {
  std::vector<std::pair<Concurrency, const cluster::Replica*>> ready;
  for (const cluster::Replica& replica : listed_->replicas) {
    if (replica.phase != cluster::ReplicaPhase::kReady) continue;
    ready.emplace_back(in_flight(replica.name).value_or(0), &replica);
  }
  std::stable_sort(ready.begin(), ready.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return a.second->start.ordered > b.second->start.ordered;
  });
  std::vector<PodName> names;
  names.reserve(ready.size());
  for (const auto& [load, replica] : ready) names.push_back(replica->name);
  return names;
}

std::optional<Concurrency> ObservedRevision::in_flight(const PodName& replica) const {
  const auto reading = windows_.latest(replica);
  if (!reading) return std::nullopt;
  return reading->concurrency;
}

}  // namespace bellows::autoscaler
