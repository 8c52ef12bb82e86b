#include "cluster/local/local_revision.hpp"

#include <algorithm>
#include <utility>

#include "cluster/local/app_groups.hpp"

namespace bellows::cluster {

LocalRevision::LocalRevision(config::Service its_service, CgroupTree* groups)
    : service(std::move(its_service)),
      resources{.is_measured = is_measured(service),
                .groups = groups,
                .limits = app_limits(service.settings.resources),
                .for_new = first_size(service.settings.resources)} {}

RevisionPtr LocalRevision::publish(const std::vector<ReplicaPtr>& before) const {
  auto revision = std::make_shared<Revision>();
  revision->id = service.name;
  revision->route = service.route;
  revision->service = service.of;
  revision->share = service.share;
  revision->settings = service.settings;
  revision->settings.container_concurrency = container_concurrency();
  revision->requested = requested;
  revision->state = state;
  std::vector<Replica> listed;
  for (const auto& replica : replicas) {
    if (replica->replica().phase != ReplicaPhase::kGone) listed.push_back(replica->replica());
  }
  revision->replicas = next_replicas(std::move(listed), before);
  revision->failure_message = revision->count(ReplicaPhase::kReady) > 0 ? "" : failure_message();
  return revision;
}

/// The smallest value that a replica was started with, or of the settings. 0 is no limit.
std::int32_t LocalRevision::container_concurrency() const {
  std::int32_t min = service.settings.container_concurrency;
  for (const auto& replica : replicas) {
    const std::int32_t taken = replica->container_concurrency();
    if (taken > 0 && (min == 0 || taken < min)) min = taken;
  }
  return min;
}

/// The reason to reject waiting callers; empty if a replica may still become ready.
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
