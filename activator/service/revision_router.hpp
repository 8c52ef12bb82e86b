// Keeps the routes and the RevisionHandles in step with the cluster's list, and finds the one
// that a request is for.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "activator/core/route_table.hpp"
#include "activator/service/revision_handle.hpp"
#include "cluster/api.hpp"

namespace bellows::activator {

/// Owner: the ActivatorService. Thread: the io thread. Cluster and dependencies outlive it; it
/// outlives the requests that it routed.
class RevisionRouter {
 public:
  RevisionRouter(cluster::Cluster& cluster, RevisionDependencies& dependencies);

  /// The handle of the revision that the request is for. It stays valid while the request uses it
  /// (RevisionHandle::add_pending_request), or until the io thread runs something else. kNotFound
  /// and kGone as RouteTable::find(); kUnavailable before the cluster's first list.
  Result<RevisionHandle*> find(std::string_view host, std::string_view path) const;

  /// Takes over the cluster's list. A revision that has been removed rejects its waiting
  /// requests (kNotFound) and stays until those in flight have ended. An unchanged revision costs
  /// one comparison.
  void sync();
  void sync(const cluster::Changes& changes);

  /// Destroys the handles of removed revisions that have no request any more.
  void destroy_ended();

  /// Visits all handles in service, by revision.
  template <class F>
  void for_each(F&& visit) const {
    for (const Known& known : known_) visit(*known.handle);
  }

 private:
  struct Known {
    cluster::RevisionPtr revision;  // shared with the cluster's list
    std::unique_ptr<RevisionHandle> handle;
  };

  void keep(Known known, const cluster::RevisionPtr& newest, std::vector<Known>& kept);
  void remove(Known known);
  void rebuild_routes();

  cluster::Cluster& cluster_;
  RevisionDependencies& dependencies_;
  std::vector<Known> known_;  // by id; positions are those of the route table
  std::vector<std::unique_ptr<RevisionHandle>> removed_;
  RouteTable routes_;
  bool routes_changed_ = false;
};

}  // namespace bellows::activator
