// The lengths of this activator's queues, reported to the autoscaler each second. Requests in
// flight are counted by the queue-proxies, so nothing is counted twice.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "activator/service/worker_lock.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/meter.hpp"
#include "metrics/stat.hpp"

namespace bellows::activator {

/// The source of a stat.
struct StatIdentity {
  PodName pod;             ///< unique among activators
  std::uint64_t boot = 0;  ///< random, one per process
};

/// A revision is reported for every second in which a request waited or its replicas could not be
/// reached, once more with zero, and then no longer; other revisions cost nothing. Owner: the
/// ActivatorService. Thread: the io thread; with the lock any that changes a queue. Sink and lock
/// outlive it.
class QueueStats {
 public:
  QueueStats(metrics::StatSink& sink, WorkerLock& lock, StatIdentity identity, TimePoint start);

  /// Records that none of `replicas` replicas that the cluster lists as ready can be reached; 0:
  /// one can, or there is none.
  void set_unreachable(const RevisionId& revision, std::uint64_t replicas)
      BELLOWS_REQUIRES(kWorkerData);

  /// Records that `waiting` requests wait for `revision` from now on.
  void set_waiting(const RevisionId& revision, std::int64_t waiting, TimePoint now)
      BELLOWS_REQUIRES(kWorkerData);

  /// Closes the second that ends now and sends its stats.
  void close_second(TimePoint now) BELLOWS_EXCLUDES(kWorkerData);

 private:
  std::vector<metrics::Stat> take_second(TimePoint now);

  metrics::StatSink& sink_;
  WorkerLock& lock_;
  StatIdentity identity_;
  TimePoint second_began_ BELLOWS_GUARDED_BY(kWorkerData);
  std::uint64_t sequence_ = 0;
  struct Reported {
    metrics::ConcurrencyMeter meter;
    std::uint64_t unreachable = 0;
  };
  Reported& reported(const RevisionId& revision) BELLOWS_REQUIRES(kWorkerData);

  std::unordered_map<RevisionId, Reported> reported_ BELLOWS_GUARDED_BY(kWorkerData);
};

}  // namespace bellows::activator
