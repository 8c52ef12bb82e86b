// The list of a cluster and its subscribers, for all implementations.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cluster/api.hpp"
#include "cluster/subscribers.hpp"

namespace bellows::cluster {

/// Owner: a Cluster. Thread: the io thread.
class ListPublisher {
 public:
  explicit ListPublisher(http::net::io_context& io) : subscribers_(io) {}

  const RevisionList& list() const { return list_; }
  std::unique_ptr<Subscription> subscribe(Cluster::OnChange on_change) {
    return subscribers_.add(std::move(on_change));
  }

  /// Adds or replaces the revision and notifies the subscribers. Does nothing if it has not
  /// changed.
  void put(RevisionPtr revision);
  /// Removes the revision. Does nothing if it is not listed.
  void erase(const RevisionId& id);
  /// Makes `revisions` the whole list: puts each and erases the others.
  void replace_all(std::vector<RevisionPtr> revisions);

  const std::vector<Activator>& activators() const { return activators_; }
  /// Notifies the subscribers if they have changed. `activators`: by name.
  void set_activators(std::vector<Activator> activators);

  /// Notifies the subscribers even if nothing has changed: the cluster has become ready.
  void announce() { subscribers_.notify(); }

 private:
  RevisionList list_;
  std::vector<Activator> activators_;
  Subscribers subscribers_;
};

}  // namespace bellows::cluster
