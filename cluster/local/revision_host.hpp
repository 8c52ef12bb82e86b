// Changes which revisions a cluster of one machine runs, and how.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/replica_size.hpp"
#include "base/result.hpp"
#include "cluster/core/revision_list.hpp"
#include "cluster/local/replica_room.hpp"
#include "config/service.hpp"
#include "config/shared_service.hpp"

namespace bellows::cluster {

/// LocalCluster implements it; tests have one without processes. Thread: the io thread.
class RevisionHost {
 public:
  virtual ~RevisionHost() = default;

  /// Returns the same as Cluster::revisions().
  virtual const RevisionList& revisions() const = 0;

  /// Returns the result that add() would have for a revision, apart from its name.
  virtual Result<void> check(const config::Service& revision) const = 0;

  /// Checks if the descriptors suffice once these services have replaced their listed ones. See
  /// check_bounds().
  virtual Result<void> check_fit(std::vector<ReplicaBounds> changed) const = 0;

  /// Lists another revision, at zero; it is scaled from then on. `revision.name` is its id.
  /// `size_of_new`: of its replicas, until set_size_of_new_replicas(); empty: their first requests.
  /// Errors as those of LocalCluster::create(); kUnavailable: Bellows is shutting down.
  virtual Result<void> add(config::ServiceRevision revision, const ReplicaSize& size_of_new) = 0;

  /// Replaces the settings of a running service, for the list and for replicas that start from now
  /// on. Running replicas keep theirs; until they have gone, the list has the smallest
  /// hard limit of requests among them, so that none of them gets more than it takes. kNotFound,
  /// kGone, kUnavailable.
  virtual Result<void> configure(const RevisionId& revision,
                                 const config::RevisionSettings& settings) = 0;

  /// Sets what callers get of a revision from the next turn of the io thread on. All changes of one
  /// turn take effect together. Errors as those of configure().
  virtual Result<void> place(const RevisionId& revision, const config::Route& route,
                             std::int32_t share) = 0;

  /// Removes a revision from the list: requests that wait for it are rejected, its replicas drain.
  /// One with the same id may be added at once. kNotFound.
  virtual Result<void> remove(const RevisionId& revision) = 0;

  /// Returns the last lines that the apps of the revision wrote to their standard error, oldest
  /// first: of its newest replica that wrote any. Empty: none did.
  virtual std::vector<std::string> last_lines(const RevisionId& revision) const = 0;
};

}  // namespace bellows::cluster
