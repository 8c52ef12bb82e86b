// Counts requests that the app served, closed each second.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "metrics/replica_reading.hpp"

namespace bellows::metrics {

/// Allocates no memory. Owner and thread: the counting component.
class ServiceMeter {
 public:
  /// Counts a request that the app has ended after `service`, without the wait before it.
  void ended(Duration service, bool is_error) {
    count(is_error);
    ++times_[service_time_bucket(service)];
  }
  /// Counts a request whose time has no meaning, such as a tunnel.
  void ended_untimed(bool is_error) { count(is_error); }
  /// Counts a request that was rejected before it reached the app.
  void refused() { ++reading_.refused; }

  /// Returns the counts since the last close, without the measurements of the kernel.
  ReplicaReading close_second() {
    ReplicaReading closed = reading_;
    if (closed.completed > 0) closed.times = ServiceTimes(times_);
    reading_ = {};
    times_ = {};
    return closed;
  }

 private:
  void count(bool is_error) {
    ++reading_.completed;
    if (is_error) ++reading_.errors;
  }

  ReplicaReading reading_;
  ServiceTimeCounts times_{};
};

}  // namespace bellows::metrics
