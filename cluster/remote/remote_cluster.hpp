// A client of the cluster socket of another Bellows.
#pragma once

#include <memory>
#include <optional>

#include "base/endpoint.hpp"
#include "base/random.hpp"
#include "base/sys/clock.hpp"
#include "cluster/api.hpp"

namespace bellows::cluster {

/// Follows the list of a ClusterServer with long polls. While the server is unreachable, the last
/// list stays, orders fail with kUnavailable or kTimeout, and it reconnects with exponential
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

  const RevisionList& revisions() const override;
  bool ready() const override;  ///< after the first list
  /// When the first poll failed, or was sent if it got no response; nullopt again with the next
  /// list.
  std::optional<TimePoint> unreachable_since() const override;
  std::string activator_secret() const override;
  std::unique_ptr<Subscription> subscribe(OnChange on_change) override;
  http::Awaitable<Result<void>> scale(RevisionId revision, ScaleOrder order) override;
  http::Awaitable<Result<void>> set_state(RevisionId revision, RevisionState state) override;
  /// Sends what the list does not say yet and activators need. The rest is not sent: the autoscaler
  /// that reports is the one that users of this machine ask, and its state file is what a successor
  /// reads. A report that is lost is made up for by the next one.
  void report(RevisionId revision, Report report) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace bellows::cluster
