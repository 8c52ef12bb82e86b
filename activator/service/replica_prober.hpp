// Asks replicas that were set aside whether they take requests again.
#pragma once

#include <functional>

#include "base/endpoint.hpp"
#include "http/io/task_group.hpp"

namespace bellows::activator {

/// The longest that a replica may take to answer a probe, connecting included.
inline constexpr Duration kProbeTimeout = std::chrono::seconds(1);

/// Owner: the activator service. Thread: the io thread.
class ReplicaProber {
 public:
  explicit ReplicaProber(http::net::io_context& io) : probes_(io) {}

  /// Asks the queue-proxy there as Knative's activator does (K-Network-Probe: queue); `ended` is
  /// told whether it said that its app is ready. Never from within this call; not at all after
  /// stop().
  void probe(Endpoint replica, std::function<void(bool has_answered)> ended);

  /// Gives up probes under way.
  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::TaskGroup probes_;
};

}  // namespace bellows::activator
