// Updates the routes and the RevisionHandles by the cluster's list, and finds the revision of a
// request.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "activator/core/client_shares.hpp"
#include "activator/core/route_table.hpp"
#include "activator/core/weighted_choice.hpp"
#include "activator/service/revision_home.hpp"
#include "cluster/api.hpp"

namespace bellows::activator {

/// Owner: the ActivatorService. Thread: the io thread, its home, without the lock, unless a
/// function says otherwise. Cluster and dependencies outlive it; it outlives the requests that it
/// routed.
class RevisionRouter {
 public:
  RevisionRouter(cluster::Cluster& cluster, RevisionDependencies& dependencies);

  WorkerLock& lock() const { return dependencies_.lock; }

  // For any worker. A handle stays valid as long as the lock is held, and as long as it has a
  // pin(); at home also until destroy_ended().
  /// Returns the handle of the revision of the request: each of several revisions of one service
  /// gets its share of the calls. Errors: kNotFound and kGone as RouteTable::find(); kUnavailable
  /// before the cluster's first list.
  Result<RevisionHandle*> find(const http::RequestHead& head) BELLOWS_REQUIRES(kWorkerData);

  /// Returns the revision of a service that gets its next request, by shares only; nullptr: no such
  /// service gets requests.
  RevisionHandle* find_service(const RevisionId& service) BELLOWS_REQUIRES(kWorkerData);

  /// Returns the handle of a listed revision, retired or not; otherwise as above.
  Result<RevisionHandle*> find(const RevisionId& id) const BELLOWS_REQUIRES(kWorkerData);

  /// Returns true once the cluster's first list has been applied, so that everything unknown is
  /// unlisted. Any worker may call it. The cluster is ready slightly earlier.
  bool has_list() const { return has_list_.load(std::memory_order_acquire); }

  /// Applies the cluster's whole list. A removed revision rejects its waiting requests (kNotFound)
  /// and stays until those in flight have ended.
  void sync();
  /// Does the same for the revisions in `changes`; the others cost nothing.
  void sync(const cluster::Changes& changes);

  /// Destroys the handles of removed revisions without requests. Call it after a sync(), once no
  /// object refers to them; with several workers a port of a revision does so longer.
  void destroy_ended();

  /// Returns nullptr if it is not in service. For the home thread only.
  RevisionHome* home_of(const RevisionId& id) const;

  /// Visits all revisions in service, by id.
  template <class F>
  void for_each(F&& visit) const BELLOWS_REQUIRES_SHARED(kWorkerData) {
    for (const auto& [id, known] : known_) visit(*known.home);
  }

 private:
  struct Known {
    cluster::RevisionPtr revision;  // shared with the cluster's list
    std::unique_ptr<RevisionHome> home;
    std::vector<std::size_t> routes = {};  // numbers in routes_; empty: it has no share
    std::vector<std::size_t> tagged = {};  // numbers of the routes that are its own
  };
  /// The revisions of one service that have a share of its requests, by id.
  struct Shares {
    WeightedChoice choice;
    ClientShares clients;
    std::vector<RevisionHandle*> handles;
  };
  struct Target {
    RevisionHandle* handle = nullptr;
    Shares* shares = nullptr;  // nullptr: the handle gets all
  };

  void follow(const RevisionId& id);
  void add(const cluster::RevisionPtr& newest);
  void update(Known& known, const cluster::RevisionPtr& newest);
  void remove(const RevisionId& id);
  Known* known(const RevisionId& id);
  void join(const cluster::Revision& revision) BELLOWS_REQUIRES(kWorkerData);
  void leave(const cluster::Revision& revision) BELLOWS_REQUIRES(kWorkerData);
  void end_changes();
  void set_routes(Known& known) BELLOWS_REQUIRES(kWorkerData);
  void set_rules(const Known& known, const std::vector<config::RouteRule>& rules,
                 std::vector<std::size_t>& numbers) BELLOWS_REQUIRES(kWorkerData);
  void share_out();
  void share_out(const RevisionId& service) BELLOWS_REQUIRES(kWorkerData);
  static ClientShares client_shares(const RevisionId& service,
                                    const std::vector<const Known*>& members);

  cluster::Cluster& cluster_;
  RevisionDependencies& dependencies_;
  // Changed only at home, with the lock held.
  std::map<RevisionId, Known> known_ BELLOWS_GUARDED_BY(kWorkerData);
  RouteTable routes_ BELLOWS_GUARDED_BY(kWorkerData);
  // Indexed by the numbers of routes_.
  std::vector<Target> by_route_ BELLOWS_GUARDED_BY(kWorkerData);
  // Indexed by service.
  std::map<RevisionId, std::set<RevisionId>> revisions_of_ BELLOWS_GUARDED_BY(kWorkerData);
  // Indexed by service; only those with several revisions that get requests.
  std::map<RevisionId, Shares> shares_ BELLOWS_GUARDED_BY(kWorkerData);
  // Services whose shares have to be read again.
  std::set<RevisionId> reshared_ BELLOWS_GUARDED_BY(kWorkerData);
  std::vector<std::unique_ptr<RevisionHome>> removed_;  // used at home
  std::atomic<bool> has_list_ = false;
};

}  // namespace bellows::activator
