// The shares of a service's requests among its revisions.
#pragma once

#include <cstdint>
#include <map>

#include "base/ids.hpp"
#include "cluster/core/revision.hpp"

namespace bellows::autoscaler {

/// The sum of Revision::share of each service, without retired revisions. Owner: the registry.
/// Thread: the io thread.
class ServiceShares {
 public:
  /// Replaces the revision `before` by `now`. nullptr: it is not listed.
  void update(const cluster::Revision* before, const cluster::Revision* now);

  /// Returns the revision's part of its service's requests, from 0 to 1. `listed` is that of its
  /// last update().
  double part_of(const cluster::Revision& listed) const;

 private:
  std::map<RevisionId, std::int64_t> sums_;  // by service, without sums of 0
};

}  // namespace bellows::autoscaler
