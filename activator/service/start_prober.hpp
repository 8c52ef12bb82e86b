// Probes starting replicas that requests wait for.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "activator/core/start_probes.hpp"
#include "activator/service/replica_prober.hpp"
#include "base/ids.hpp"
#include "http/io/task_group.hpp"

namespace bellows::activator {

/// Sends the probes of StartProbes at kStartProbeInterval while there are any. Owner: the
/// ActivatorService. Thread: the io thread.
class StartProber {
 public:
  using OnReady = std::function<void(const RevisionId&, const StartingReplica&)>;

  /// `prober` must outlive it. `on_ready` is called when a replica accepts requests, on the io
  /// thread, never inside a call, nor after stop().
  StartProber(http::net::io_context& io, ReplicaProber& prober, OnReady on_ready)
      : prober_(prober), on_ready_(std::move(on_ready)), tasks_(io) {}

  /// Sets the replicas to probe from now on; empty: none.
  void set(const RevisionId& revision, const std::vector<StartingReplica>& replicas);

  http::Awaitable<void> stop(TimePoint deadline);

 private:
  http::Awaitable<void> keep_probing();
  void send(const StartProbe& probe);

  ReplicaProber& prober_;
  const OnReady on_ready_;
  StartProbes probes_;
  bool is_running_ = false;
  http::TaskGroup tasks_;
};

}  // namespace bellows::activator
