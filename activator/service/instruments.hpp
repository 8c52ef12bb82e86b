// The metrics of the activator. Names and meanings: activator/README.md.
#pragma once

#include <array>
#include <cstdint>

#include "activator/core/cold_start.hpp"
#include "activator/core/failure_reason.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::activator {

/// The series of one revision. Owner: its RevisionHandle, from its first request on; they disappear
/// with it. Thread: the io thread.
class RevisionInstruments {
 public:
  RevisionInstruments(metrics::prometheus::Registry& registry, const RevisionId& service,
                      const RevisionId& revision);

  /// Counts a request that has ended; `status` 0: its caller disconnected before a response.
  void request_ended(int status, Duration total);
  /// Counts a request that was held this long and then got a replica.
  void request_held(Duration waited) { queue_time_.observe(to_seconds(waited)); }
  void cold_start_ended(const ColdStart& start);
  /// Counts retries of requests.
  void request_retried(FailureReason why, std::uint64_t times = 1) {
    retries_[static_cast<std::size_t>(why)].add(times);
  }
  /// Counts ejections of replicas.
  void replica_ejected(FailureReason why, std::uint64_t times = 1) {
    ejections_[static_cast<std::size_t>(why)].add(times);
  }

  /// Returns 1 while the file of a waiting-page is missing. Few revisions have this series.
  static metrics::prometheus::Gauge missing_page(metrics::prometheus::Registry& registry,
                                                 const RevisionId& service,
                                                 const RevisionId& revision);

  metrics::prometheus::Gauge in_flight;         ///< requests at a replica
  metrics::prometheus::Gauge queue_depth;       ///< requests that wait for a replica
  metrics::prometheus::Gauge ejected_replicas;  ///< number of replicas
  /// Replicas that the cluster lists as ready while none can be reached.
  metrics::prometheus::Gauge unreachable_replicas;
  metrics::prometheus::Counter scale_from_zero_triggers;

 private:
  RevisionInstruments(metrics::prometheus::Registry& registry,
                      const metrics::prometheus::Labels& labels);

  std::array<metrics::prometheus::Counter, 6> requests_;  // by status class; [0]: no status
  std::array<metrics::prometheus::Counter, kFailureReasons.size()> retries_;
  std::array<metrics::prometheus::Counter, kFailureReasons.size()> ejections_;
  metrics::prometheus::Histogram duration_;
  metrics::prometheus::Histogram queue_time_;
  metrics::prometheus::Histogram held_until_process_;
  metrics::prometheus::Histogram held_until_ready_;
  metrics::prometheus::Histogram held_until_answer_;
};

}  // namespace bellows::activator
