// What waits in this activator's queues, told to the autoscaler each second. What runs is counted
// by the queue-proxies, so nothing is counted twice.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/meter.hpp"
#include "metrics/stat.hpp"

namespace bellows::activator {

/// Who reports.
struct StatIdentity {
  PodName pod;             ///< unique among activators
  std::uint64_t boot = 0;  ///< random, one per process
};

/// A revision is reported in every second in which somebody waited, once more with zero, and then
/// no longer; revisions that nobody waits for cost nothing. Owner: the activator service. Thread:
/// the io thread. The sink outlives it.
class QueueStats {
 public:
  QueueStats(metrics::StatSink& sink, StatIdentity identity, TimePoint start);

  /// From now on `waiting` requests wait for `revision`.
  void set_waiting(const RevisionId& revision, std::int64_t waiting, TimePoint now);

  /// Closes the second that ends now and sends its stats.
  void close_second(TimePoint now);

 private:
  metrics::StatSink& sink_;
  StatIdentity identity_;
  TimePoint second_began_;
  std::uint64_t sequence_ = 0;
  std::unordered_map<RevisionId, metrics::ConcurrencyMeter> meters_;  // of those to be reported
};

}  // namespace bellows::activator
