// Probes replicas: ejected ones, and starting ones.
#pragma once

#include <functional>

#include "activator/core/reachability.hpp"
#include "base/endpoint.hpp"
#include "http/io/task_group.hpp"

namespace bellows::activator {

/// The timeout of a probe of an ejected replica, connecting included.
inline constexpr Duration kProbeTimeout = std::chrono::seconds(1);

/// Owner: the ActivatorService. Thread: the io thread.
class ReplicaProber {
 public:
  explicit ReplicaProber(http::net::io_context& io) : probes_(io) {}

  /// Probes the queue-proxy as Knative's activator does (K-Network-Probe: queue). Calls `ended`,
  /// but never inside this call, nor after stop().
  void probe(Endpoint replica, Duration timeout, std::function<void(ProbeResult)> ended);

  /// Cancels the pending probes.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::TaskGroup probes_;
};

}  // namespace bellows::activator
