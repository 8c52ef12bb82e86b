// Measures the CPU and memory of all replicas at regular intervals.
#pragma once

#include <functional>
#include <vector>

#include "base/lifetime.hpp"
#include "base/time.hpp"
#include "cluster/local/replica_key.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

/// Each replica is measured in its own turn of the io thread, so reading /proc does not delay
/// requests. Owner: a LocalCluster. Thread: the io thread.
class UsageWatch {
 public:
  struct Callbacks {
    std::function<std::vector<ReplicaKey>()> list;  ///< the present replicas
    std::function<void(const ReplicaKey&)> measure;
    std::function<void()> round_done;  ///< called once all of the list are measured
  };

  UsageWatch(http::net::io_context& io, Duration period, Callbacks callbacks);

  /// Starts to watch, until list() is empty after a round. Does nothing while it watches.
  void start();
  void stop() { timer_.cancel(); }

 private:
  void measure_next(std::vector<ReplicaKey> left);

  http::net::io_context& io_;
  const Duration period_;
  const Callbacks callbacks_;
  http::AsioTimer timer_;
  bool is_watching_ = false;
  Lifetime lifetime_;  // for pending callbacks
};

}  // namespace bellows::cluster
