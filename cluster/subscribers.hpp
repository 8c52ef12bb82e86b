// The subscribers of a cluster: Cluster::subscribe for all implementations.
#pragma once

#include <memory>

#include "cluster/api.hpp"

namespace bellows::cluster {

/// Owner: a ListPublisher. Subscriptions may outlive it. Thread: the io thread.
class Subscribers {
 public:
  explicit Subscribers(http::net::io_context& io);

  std::unique_ptr<Subscription> add(Cluster::OnChange on_change);

  /// Collects the changes for the next notification.
  PendingChanges& pending();

  /// Notifies every subscriber later, from the io_context. Several calls before that become one.
  void notify();

 private:
  struct State;
  http::net::io_context& io_;
  std::shared_ptr<State> state_;  // held weakly by subscriptions and posted notifications
};

}  // namespace bellows::cluster
