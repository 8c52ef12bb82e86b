#include "cluster/core/revision.hpp"

#include <algorithm>
#include <utility>

namespace bellows::cluster {
namespace {

const PodName& name_of(const ReplicaPtr& replica) {
  return replica->name;
}

bool is_same(const ReplicaPtr& a, const ReplicaPtr& b) {
  return a == b || *a == *b;
}

}  // namespace

std::string_view to_string(ReplicaPhase phase) {
  switch (phase) {
    case ReplicaPhase::kPending:
      return "pending";
    case ReplicaPhase::kStarting:
      return "starting";
    case ReplicaPhase::kReady:
      return "ready";
    case ReplicaPhase::kFailed:
      return "failed";
    case ReplicaPhase::kDraining:
      return "draining";
    case ReplicaPhase::kGone:
      return "gone";
  }
  return "unknown";
}

std::string_view to_string(RevisionState state) {
  switch (state) {
    case RevisionState::kActive:
      return "active";
    case RevisionState::kPaused:
      return "paused";
    case RevisionState::kRetired:
      return "retired";
  }
  return "unknown";
}

const Replica* Revision::find(const PodName& name) const {
  const auto found = std::ranges::lower_bound(replicas, name, {}, name_of);
  return found == replicas.end() || (*found)->name != name ? nullptr : found->get();
}

PodCount Revision::count(ReplicaPhase phase) const {
  return static_cast<PodCount>(std::ranges::count_if(
      replicas, [phase](const ReplicaPtr& replica) { return replica->phase == phase; }));
}

bool Revision::operator==(const Revision& other) const {
  return id == other.id && requested == other.requested && state == other.state &&
         std::ranges::equal(replicas, other.replicas, is_same) && route == other.route &&
         failure_message == other.failure_message && order_failure == other.order_failure &&
         saved_state == other.saved_state && path == other.path && service == other.service &&
         share == other.share && learned_target == other.learned_target &&
         settings == other.settings && proxy_settings == other.proxy_settings;
}

std::vector<ReplicaPtr> next_replicas(std::vector<Replica> replicas,
                                      const std::vector<ReplicaPtr>& before) {
  std::ranges::sort(replicas, {}, &Replica::name);
  std::vector<ReplicaPtr> next;
  next.reserve(replicas.size());
  auto old = before.begin();
  for (Replica& replica : replicas) {
    while (old != before.end() && (*old)->name < replica.name) ++old;
    const bool is_unchanged = old != before.end() && **old == replica;
    next.push_back(is_unchanged ? *old : std::make_shared<const Replica>(std::move(replica)));
  }
  return next;
}

std::vector<ReplicaChange> changed_replicas(const std::vector<ReplicaPtr>& before,
                                            const std::vector<ReplicaPtr>& now) {
  std::vector<ReplicaChange> changes;
  auto old = before.begin();
  auto fresh = now.begin();
  while (old != before.end() || fresh != now.end()) {
    if (old != before.end() && fresh != now.end() && *old == *fresh) {
      ++old;
      ++fresh;
      continue;
    }
    const bool has_gone =
        fresh == now.end() || (old != before.end() && (*old)->name < (*fresh)->name);
    const bool is_new = !has_gone && (old == before.end() || (*fresh)->name < (*old)->name);
    changes.push_back({is_new ? nullptr : (old++)->get(), has_gone ? nullptr : (fresh++)->get()});
  }
  return changes;
}

}  // namespace bellows::cluster
