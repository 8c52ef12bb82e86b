// The current snapshot of a cluster and its subscribers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "cluster/api.hpp"
#include "cluster/subscribers.hpp"

namespace bellows::cluster {

/// Owner: a LocalCluster. Thread: the io thread.
class SnapshotPublisher {
 public:
  /// `revisions`: the first list, by id. Their number never changes.
  SnapshotPublisher(http::net::io_context& io,
                    std::vector<std::shared_ptr<const Revision>> revisions);

  const SnapshotPtr& snapshot() const { return snapshot_; }
  std::unique_ptr<Subscription> subscribe(std::function<void()> changed) {
    return subscribers_.add(std::move(changed));
  }

  /// Replaces the revision with the same id and notifies the subscribers. Does nothing if the
  /// revision has not changed.
  void publish(std::shared_ptr<const Revision> revision);

 private:
  SnapshotPtr snapshot_;
  Subscribers subscribers_;
};

}  // namespace bellows::cluster
