// A client of the cluster socket of another Bellows.
#pragma once

#include <memory>

#include "base/endpoint.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"

namespace bellows::cluster {

/// Follows the list of a ClusterServer with long polls. While the server is unreachable, the last
/// snapshot stays, orders fail with kUnavailable or kTimeout, and it reconnects with exponential
/// backoff and jitter (100 ms to 2 s). Owner: the program. Thread: the io thread.
class RemoteCluster final : public Cluster {
 public:
  /// `io`, `clock` and `random` outlive the cluster. Nothing is sent before start().
  RemoteCluster(http::net::io_context& io, const sys::Clock& clock, Random& random,
                Endpoint server);
  ~RemoteCluster() override;
  RemoteCluster(const RemoteCluster&) = delete;
  RemoteCluster& operator=(const RemoteCluster&) = delete;

  void start();

  /// Stops polling and waits for the end of the current poll.
  http::Awaitable<void> stop(TimePoint deadline);

  SnapshotPtr snapshot() const override;
  bool ready() const override;  ///< after the first list
  std::unique_ptr<Subscription> subscribe(std::function<void()> changed) override;
  http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) override;
  http::Awaitable<Result<void>> retire(RevisionId revision) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::cluster
