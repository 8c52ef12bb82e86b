// What the activator tells Prometheus. Names and meanings: activator/README.md.
#pragma once

#include <array>

#include "activator/core/cold_start.hpp"
#include "activator/core/failure_reason.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::activator {

/// The series of one revision. Owner: its line, from its first request on; they leave the text with
/// it. Thread: the io thread.
class RevisionInstruments {
 public:
  RevisionInstruments(metrics::prometheus::Registry& registry, const RevisionId& revision);

  /// A request is over; `status` 0: its caller left without an answer.
  void request_ended(int status, Duration total);
  /// A request was held that long and then got a replica.
  void request_held(Duration waited) { queue_time_.observe(to_seconds(waited)); }
  void cold_started(const ColdStart& start);
  /// A request was tried again.
  void request_retried(FailureReason why) { retries_[static_cast<std::size_t>(why)].add(); }
  /// A replica was set aside.
  void replica_ejected(FailureReason why) { ejections_[static_cast<std::size_t>(why)].add(); }

  metrics::prometheus::Gauge in_flight;    ///< with a replica
  metrics::prometheus::Gauge queue_depth;  ///< waiting for one
  metrics::prometheus::Gauge set_aside;    ///< replicas
  metrics::prometheus::Counter wakes;

 private:
  std::array<metrics::prometheus::Counter, 6> requests_;  // by status class; [0]: none
  std::array<metrics::prometheus::Counter, kFailureReasons.size()> retries_;
  std::array<metrics::prometheus::Counter, kFailureReasons.size()> ejections_;
  metrics::prometheus::Histogram duration_;
  metrics::prometheus::Histogram queue_time_;
  metrics::prometheus::Histogram held_until_process_;
  metrics::prometheus::Histogram held_until_ready_;
  metrics::prometheus::Histogram held_until_answer_;
};

}  // namespace bellows::activator
