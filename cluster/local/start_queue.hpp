// Starts replicas one at a time.
#pragma once

#include <deque>
#include <functional>

#include "base/lifetime.hpp"
#include "cluster/local/replica_key.hpp"
#include "http/io/net.hpp"

namespace bellows::cluster {

/// Each start gets its own turn of the io thread: a hundred forks in a row would delay requests by
/// half a second. Owner: a LocalCluster. Thread: the io thread.
class StartQueue {
 public:
  /// Calls `start` once for each replica, but never from inside add().
  StartQueue(http::net::io_context& io, std::function<void(const ReplicaKey&)> start);

  void add(ReplicaKey replica);

 private:
  void start_next_soon();
  void start_next();

  http::net::io_context& io_;
  std::function<void(const ReplicaKey&)> start_;
  std::deque<ReplicaKey> waiting_;
  Lifetime lifetime_;  // for pending callbacks
};

}  // namespace bellows::cluster
