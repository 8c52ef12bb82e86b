#include "activator/service/queue_stats.hpp"

#include <utility>

namespace bellows::activator {

QueueStats::QueueStats(metrics::StatSink& sink, StatIdentity identity, TimePoint start)
    : sink_(sink), identity_(std::move(identity)), second_began_(start) {}

void QueueStats::set_waiting(const RevisionId& revision, std::int64_t waiting, TimePoint now) {
  auto meter = meters_.find(revision);
  if (meter == meters_.end()) {
    if (waiting == 0) return;
    // The mean is over the whole second, even if its first request comes late in it.
    meter = meters_.emplace(revision, metrics::ConcurrencyMeter(second_began_)).first;
  }
  while (meter->second.level() < waiting) meter->second.enter(now);
  while (meter->second.level() > waiting) meter->second.leave(now);
}

void QueueStats::close_second(TimePoint now) {
  ++sequence_;
  for (auto entry = meters_.begin(); entry != meters_.end();) {
    auto& [revision, meter] = *entry;
    const metrics::MeterReading reading = meter.close_second(now);
    sink_.accept(metrics::Stat{.revision = revision,
                               .pod = identity_.pod,
                               .source = metrics::StatSource::kActivator,
                               .boot = identity_.boot,
                               .sequence = sequence_,
                               .age = Duration::zero(),
                               .concurrency = reading.mean,
                               .peak = reading.peak,
                               .requests = reading.requests});
    const bool is_zero_reported = reading.peak == 0 && meter.level() == 0;
    entry = is_zero_reported ? meters_.erase(entry) : std::next(entry);
  }
  second_began_ = now;
}

}  // namespace bellows::activator
