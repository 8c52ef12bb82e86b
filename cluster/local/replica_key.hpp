// The name of a replica together with its revision.
#pragma once

#include "base/ids.hpp"

namespace bellows::cluster {

struct ReplicaKey {
  RevisionId revision;
  PodName replica;
};

}  // namespace bellows::cluster
