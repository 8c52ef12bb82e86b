// A service of a LocalCluster: its settings and its replicas.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/core/revision.hpp"
#include "cluster/local/output_tail.hpp"
#include "cluster/local/replica.hpp"
#include "cluster/local/rolling_restart.hpp"
#include "config/service.hpp"

namespace bellows::cluster {

/// Owner: a LocalCluster, which starts, drains and removes the replicas.
struct LocalRevision {
  LocalRevision(config::Service its_service, CgroupTree* groups);

  /// The revision for the list, without the replicas that have gone. `before`: what it shares
  /// unchanged replicas with.
  RevisionPtr publish(const std::vector<ReplicaPtr>& before) const;
  std::vector<Replica> oldest_first() const;
  PodCount staying() const;                 ///< replicas that are neither draining nor gone
  LocalReplica* find(const PodName& name);  ///< nullptr: there is none

  config::Service service;
  SharedResources resources;
  PodCount requested = 0;
  RevisionState state = RevisionState::kActive;
  // Never used twice: the stats of an earlier replica may still be in the windows.
  std::uint64_t next_number = 1;
  OutputTail output;  // outlives the replicas
  RollingRestart restart;
  std::vector<std::unique_ptr<LocalReplica>> replicas;  // oldest first

 private:
  std::int32_t container_concurrency() const;
  std::string failure_message() const;
};

}  // namespace bellows::cluster
