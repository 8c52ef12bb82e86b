// The replicas of another Bellows, over its cluster socket.
#pragma once

#include <memory>

#include "base/endpoint.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"

namespace bellows::cluster {

/// A client of ClusterServer. Follows its list with long polls; while the server is away the last
/// snapshot stays, orders get kUnavailable (or kTimeout), and it is tried again with growing,
/// jittered delay (100 ms to 2 s). Owner: the program. Thread: the io thread.
class RemoteCluster final : public Cluster {
 public:
  /// `io`, `clock` and `random` outlive the cluster. Nothing is sent before start().
  RemoteCluster(http::net::io_context& io, const sys::Clock& clock, Random& random,
                Endpoint server);
  ~RemoteCluster() override;
  RemoteCluster(const RemoteCluster&) = delete;
  RemoteCluster& operator=(const RemoteCluster&) = delete;

  void start();

  /// Ends the polling and waits for it.
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
