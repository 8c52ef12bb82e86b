#include "cluster/local/local_revision.hpp"

#include <algorithm>
#include <utility>

#include "cluster/local/app_groups.hpp"
#include "cluster/local/prepare_service.hpp"

namespace bellows::cluster {

LocalRevision::LocalRevision(config::ServiceRevision its_declaration, CgroupTree* groups)
    : declared(std::move(its_declaration)),
      resources{.is_measured = is_measured(*declared.settings),
                .groups = groups,
                .limits = app_limits(declared.settings->resources),
                .for_new = first_size(declared.settings->resources)} {
  // The variables of the file belong to the addition. The first replica reports what the file
  // lacks.
  if (has_environment_file()) (void)prepare();
}

Result<void> LocalRevision::prepare() {
  if (running) return {};
  BELLOWS_TRY(config::Service ready, prepared(declared.whole()));
  running = std::make_unique<config::Service>(std::move(ready));
  if (!output) output = std::make_unique<OutputTail>();
  return {};
}

void LocalRevision::rest() {
  if (replicas.empty() && !has_environment_file()) running.reset();
}

RevisionPtr LocalRevision::publish(const std::vector<ReplicaPtr>& before) const {
  auto revision = std::make_shared<Revision>();
  revision->id = declared.name;
  revision->route = declared.route;
  revision->service = declared.of;
  revision->share = declared.share;
  revision->settings = *declared.settings;
  revision->settings.container_concurrency = container_concurrency();
  revision->requested = requested;
  revision->learned_target = learned_target;
  revision->state = state;
  std::vector<Replica> listed;
  for (const auto& replica : replicas) {
    if (replica->replica().phase != ReplicaPhase::kGone) listed.push_back(replica->replica());
  }
  revision->replicas = next_replicas(std::move(listed), before);
  revision->failure_message = revision->count(ReplicaPhase::kReady) > 0 ? "" : failure_message();
  return revision;
}

/// Returns the smallest value that a replica was started with, or that of the settings. 0: no
/// limit.
std::int32_t LocalRevision::container_concurrency() const {
  std::int32_t min = declared.settings->container_concurrency;
  for (const auto& replica : replicas) {
    const std::int32_t taken = replica->container_concurrency();
    if (taken > 0 && (min == 0 || taken < min)) min = taken;
  }
  return min;
}

/// Returns the reason to reject waiting callers; empty if a replica may still become ready.
std::string LocalRevision::failure_message() const {
  std::string last;
  for (const auto& replica : replicas) {
    const ReplicaPhase phase = replica->replica().phase;
    if (phase == ReplicaPhase::kDraining || phase == ReplicaPhase::kGone) continue;
    if (!replica->is_stuck()) return {};
    last = replica->replica().failure_message;
  }
  return last;
}

std::vector<Replica> LocalRevision::oldest_first() const {
  std::vector<Replica> list;
  for (const auto& replica : replicas) list.push_back(replica->replica());
  return list;
}

PodCount LocalRevision::staying() const {
  return static_cast<PodCount>(std::ranges::count_if(replicas, [](const auto& replica) {
    return replica->replica().phase != ReplicaPhase::kDraining &&
           replica->replica().phase != ReplicaPhase::kGone;
  }));
}

LocalReplica* LocalRevision::find(const PodName& name) {
  const auto found = std::ranges::find_if(
      replicas, [&](const auto& replica) { return replica->replica().name == name; });
  return found == replicas.end() ? nullptr : found->get();
}

}  // namespace bellows::cluster
