// From the cluster's list to routes and lines: who takes a request, and is it still there.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "activator/core/route_table.hpp"
#include "activator/service/revision_line.hpp"
#include "cluster/api.hpp"

namespace bellows::activator {

/// Owner: the activator service. Thread: the io thread. Cluster and surroundings outlive it; it
/// outlives the requests it routed.
class RevisionRouter {
 public:
  RevisionRouter(cluster::Cluster& cluster, LineSurroundings& surroundings);

  /// The line of the revision that takes the request; good as long as the request is in it, or
  /// until the io thread goes on. kNotFound, kGone as RouteTable::find(); kUnavailable while the
  /// cluster's list has not come yet.
  Result<RevisionLine*> find(std::string_view host, std::string_view path) const;

  /// Takes over the cluster's newest list. A revision that is no longer in it refuses those who
  /// wait (kNotFound) and stays until what runs has ended. Unchanged revisions cost a comparison.
  void sync();

  /// Drops lines of revisions that left, once they are empty.
  void forget_ended();

  /// All lines in service, by revision.
  template <class F>
  void for_each(F&& visit) const {
    for (const Known& known : known_) visit(*known.line);
  }

 private:
  struct Known {
    std::shared_ptr<const cluster::Revision> revision;  // shared with the cluster's snapshots
    std::unique_ptr<RevisionLine> line;
  };

  void take_over(Known known, const std::shared_ptr<const cluster::Revision>& newest,
                 std::vector<Known>& kept);
  void let_go(Known known);
  void rebuild_routes();

  cluster::Cluster& cluster_;
  LineSurroundings& surroundings_;
  std::vector<Known> known_;  // by id; positions are those of the route table
  std::vector<std::unique_ptr<RevisionLine>> leaving_;
  RouteTable routes_;
  bool routes_changed_ = false;
};

}  // namespace bellows::activator
