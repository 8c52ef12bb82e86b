#include "activator/service/queue_stats.hpp"

#include <utility>

namespace bellows::activator {

QueueStats::QueueStats(metrics::StatSink& sink, WorkerLock& lock, StatIdentity identity,
                       TimePoint start)
    : sink_(sink), lock_(lock), identity_(std::move(identity)), second_began_(start) {}

/// The mean is over the whole second, even if its first request arrives late in it.
QueueStats::Reported& QueueStats::reported(const RevisionId& revision) {
  const auto known = reported_.find(revision);
  if (known != reported_.end()) return known->second;
  return reported_.emplace(revision, Reported{metrics::ConcurrencyMeter(second_began_)})
      .first->second;
}

void QueueStats::set_unreachable(const RevisionId& revision, std::uint64_t replicas) {
  if (replicas == 0 && !reported_.contains(revision)) return;
  reported(revision).unreachable = replicas;
}

void QueueStats::set_waiting(const RevisionId& revision, std::int64_t waiting, TimePoint now) {
  if (waiting == 0 && !reported_.contains(revision)) return;
  metrics::ConcurrencyMeter& meter = reported(revision).meter;
  while (meter.level() < waiting) meter.enter(now);
  while (meter.level() > waiting) meter.leave(now);
}

void QueueStats::close_second(TimePoint now) {
  for (const metrics::Stat& stat : take_second(now)) sink_.accept(stat);
}

std::vector<metrics::Stat> QueueStats::take_second(TimePoint now) {
  const WorkerLock::Hold hold(lock_);
  now = lock_.in_order(now);
  std::vector<metrics::Stat> stats;
  ++sequence_;
  for (auto entry = reported_.begin(); entry != reported_.end();) {
    auto& [revision, told] = *entry;
    const metrics::MeterReading reading = told.meter.close_second(now);
    stats.push_back(metrics::Stat{.revision = revision,
                                  .pod = identity_.pod,
                                  .source = metrics::StatSource::kActivator,
                                  .boot = identity_.boot,
                                  .sequence = sequence_,
                                  .age = Duration::zero(),
                                  .concurrency = reading.mean,
                                  .peak = reading.peak,
                                  .requests = reading.requests,
                                  .unreachable = told.unreachable});
    const bool is_zero_reported =
        reading.peak == 0 && told.meter.level() == 0 && told.unreachable == 0;
    entry = is_zero_reported ? reported_.erase(entry) : std::next(entry);
  }
  second_began_ = now;
  return stats;
}

}  // namespace bellows::activator
