// The metrics of the queue-proxy. Names and meanings: queue-proxy/README.md.
#pragma once

#include <array>

#include "base/time.hpp"
#include "metrics/prometheus/instruments.hpp"

namespace bellows::queue_proxy {

/// Owner: the service. Thread: the io thread.
class Instruments {
 public:
  explicit Instruments(metrics::prometheus::Registry& registry);

  /// Counts a request that has ended. `status` is 0 if its caller disconnected before the response.
  void request_ended(int status, Duration total);
  /// Counts the time of a request in the queue, whether it was granted or not.
  void request_waited(Duration waited);

  metrics::prometheus::Gauge in_flight;    ///< running in the app
  metrics::prometheus::Gauge queue_depth;  ///< waiting for a slot
  metrics::prometheus::Gauge ready;        ///< 1 or 0
  metrics::prometheus::Gauge connected;    ///< 1 while stats reach the autoscaler
  metrics::prometheus::Counter stats_sent;
  metrics::prometheus::Counter stats_dropped;
  metrics::prometheus::Counter settings_changes;  ///< by the autoscaler
  metrics::prometheus::Counter upstream_retries;
  metrics::prometheus::Counter access_log_dropped;  ///< dropped lines

 private:
  std::array<metrics::prometheus::Counter, 6> requests_;  // by status class; [0]: no status
  metrics::prometheus::Histogram duration_;
  metrics::prometheus::Histogram queue_time_;
};

}  // namespace bellows::queue_proxy
