// A service on this machine: its settings and its replicas.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/api.hpp"
#include "cluster/local/replica.hpp"
#include "config/service.hpp"

namespace bellows::cluster {

/// Owner: a LocalCluster, which starts, drains and removes the replicas.
struct LocalRevision {
  LocalRevision(config::Service its_service, CgroupTree* groups);

  /// As others are to see it, replicas by name. Those that are gone are not listed.
  std::shared_ptr<const Revision> publish() const;
  std::vector<Replica> oldest_first() const;
  PodCount staying() const;                 ///< neither draining nor gone
  LocalReplica* find(const PodName& name);  ///< nullptr: there is none

  config::Service service;
  SharedResources resources;
  PodCount requested = 0;
  bool is_retired = false;
  // Never used twice: a new replica must not be taken for one whose stats are still remembered.
  std::uint64_t next_number = 1;
  std::vector<std::unique_ptr<LocalReplica>> replicas;  // the oldest first

 private:
  std::int32_t container_concurrency() const;
  std::string trouble() const;
};

}  // namespace bellows::cluster
