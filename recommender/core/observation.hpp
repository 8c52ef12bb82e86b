// What a source of usage reports about one container of one replica. Data only.
#pragma once

#include <variant>

#include "base/ids.hpp"
#include "recommender/core/sample.hpp"

namespace bellows::recommender {

/// The container of the replica was removed.
struct Gone {};

/// One observation of one container of one replica.
struct Observation {
  RevisionId workload;  ///< replicas that are sized alike: a service, a Deployment
  PodName replica;
  ContainerName container;
  WallTime at;  ///< for a Usage or an Event the same as theirs
  std::variant<Usage, Event, Request, Gone> what;
};

}  // namespace bellows::recommender
