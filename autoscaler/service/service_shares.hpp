// How the requests of a service are shared out among its revisions.
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
  /// A revision was `before`, and is `now`. nullptr: it is not listed.
  void update(const cluster::Revision* before, const cluster::Revision* now);

  /// Of its service's requests, from 0 to 1. `listed`: as the last update() of it said.
  double part_of(const cluster::Revision& listed) const;

 private:
  std::map<RevisionId, std::int64_t> sums_;  // by service; those of 0 are left out
};

}  // namespace bellows::autoscaler
