// A revision of a LocalCluster: its declaration and its replicas.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/core/revision.hpp"
#include "cluster/local/output_tail.hpp"
#include "cluster/local/replica.hpp"
#include "cluster/local/rolling_restart.hpp"
#include "config/shared_service.hpp"

namespace bellows::cluster {

/// Owner: a LocalCluster, which starts, drains and removes the replicas.
struct LocalRevision {
  LocalRevision(config::ServiceRevision its_declaration, CgroupTree* groups);

  /// Prepares what replicas start with. The first replica finds the program, the folder and the
  /// accounts; the copy lives as long as there are replicas, or with the revision if it has the
  /// variables of an environment file, which is read once. Errors as those of prepared().
  Result<void> prepare();
  /// Frees what only replicas need, if there are none.
  void rest();
  const RevisionId& id() const { return declared.name; }
  /// Returns the fixed port of its apps; 0: each gets one.
  std::uint16_t port() const { return declared.settings->port; }

  /// Returns the revision for the list, without the replicas that have gone. `before`: the replicas
  /// that it shares where they are unchanged.
  RevisionPtr publish(const std::vector<ReplicaPtr>& before) const;
  std::vector<Replica> oldest_first() const;
  PodCount staying() const;                 ///< replicas that are neither draining nor gone
  LocalReplica* find(const PodName& name);  ///< nullptr: there is none

  config::ServiceRevision declared;
  std::unique_ptr<config::Service> running;  // prepared; nothing: there is no replica
  SharedResources resources;
  PodCount requested = 0;
  std::optional<double> learned_target;
  RevisionState state = RevisionState::kActive;
  // No number is used twice: the stats of an earlier replica may still be in the windows.
  std::uint64_t next_number = 1;
  std::unique_ptr<OutputTail> output;  // outlives the replicas; nothing: there never was one
  RollingRestart restart;
  std::vector<std::unique_ptr<LocalReplica>> replicas;  // oldest first

 private:
  bool has_environment_file() const { return !declared.content->environment_file.empty(); }
  std::int32_t container_concurrency() const;
  std::string failure_message() const;
};

}  // namespace bellows::cluster
