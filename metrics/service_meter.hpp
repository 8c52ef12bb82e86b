// Requests as their app served them, closed each second.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "metrics/replica_reading.hpp"

namespace bellows::metrics {

/// Owner and thread: the counting component. Allocates nothing.
class ServiceMeter {
 public:
  /// The app ended a request that it had for `service`, the waiting before it left out.
  void ended(Duration service, bool is_error) {
    count(is_error);
    ++times_[service_time_bucket(service)];
  }
  /// The same for a request whose time says nothing, such as a tunnel.
  void ended_untimed(bool is_error) { count(is_error); }
  /// It was rejected before it reached the app.
  void refused() { ++reading_.refused; }

  /// Returns what was counted since the last close, without what the kernel measures.
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
