// Probes ejected replicas.
#pragma once

#include <functional>

#include "base/endpoint.hpp"
#include "http/io/task_group.hpp"

namespace bellows::activator {

/// The timeout of a probe, connecting included.
inline constexpr Duration kProbeTimeout = std::chrono::seconds(1);

/// Owner: the ActivatorService. Thread: the io thread.
class ReplicaProber {
 public:
  explicit ReplicaProber(http::net::io_context& io) : probes_(io) {}

  /// Probes the queue-proxy as Knative's activator does (K-Network-Probe: queue). Calls `ended`
  /// with true if it responds that its app is ready. Never from inside this call, and not after
  /// stop().
  void probe(Endpoint replica, std::function<void(bool has_succeeded)> ended);

  /// Cancels the probes in flight.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::TaskGroup probes_;
};

}  // namespace bellows::activator
