#include "activator/service/found_replicas.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/core/not_ready.hpp"

namespace bellows::activator {

namespace {

/// Returns true unless the replica has ended, or is about to.
bool may_serve(const cluster::ReplicaPtr& replica) {
  return replica->phase != cluster::ReplicaPhase::kDraining &&
         replica->phase != cluster::ReplicaPhase::kGone;
}

}  // namespace

bool is_ready(const cluster::Replica* replica) {
  return replica != nullptr && replica->phase == cluster::ReplicaPhase::kReady &&
         !replica->address.empty();
}

bool is_starting(const cluster::Replica& replica) {
  return (replica.phase == cluster::ReplicaPhase::kPending ||
          replica.phase == cluster::ReplicaPhase::kStarting) &&
         !replica.address.empty();
}

ActivatorShare share_of(const cluster::Path& path, const PodName& self) {
  if (path.activators.empty()) return {};
  const auto own = std::ranges::find(path.activators, self);
  const auto index = own == path.activators.end() ? -1 : own - path.activators.begin();
  return {.activators = static_cast<std::int32_t>(path.activators.size()),
          .index = static_cast<std::int32_t>(index)};
}

void FoundReplicas::add(const cluster::Replica& listed, TimePoint now) {
  found_[listed.name] = {.address = listed.address, .restarts = listed.restarts, .at = now};
}

void FoundReplicas::forget_ended(const cluster::Revision& listed) {
  std::erase_if(found_, [&](const auto& found) {
    const cluster::Replica* const replica = listed.find(found.first);
    return is_ready(replica) || !takes_requests(replica);
  });
}

bool FoundReplicas::takes_requests(const cluster::Replica* replica) const {
  if (is_ready(replica)) return true;
  if (replica == nullptr || found_.empty() || !is_starting(*replica)) return false;
  const auto found = found_.find(replica->name);
  return found != found_.end() && found->second.address == replica->address &&
         found->second.restarts == replica->restarts;
}

ReplicaView FoundReplicas::view_of(const cluster::Replica& replica) const {
  ReplicaView view{.name = replica.name,
                   .address = replica.address,
                   .ordered = replica.start.ordered,
                   .process_started = replica.start.process_started,
                   .ready = replica.start.ready};
  const auto found = found_.find(replica.name);
  if (!is_ready(&replica) && found != found_.end()) view.ready = found->second.at;
  return view;
}

RevisionView FoundReplicas::view_since(const cluster::Revision* before,
                                       const cluster::Revision& revision,
                                       const PodName& self) const {
  RevisionView view;
  view.share = share_of(revision.path, self);
  view.settings = revision.settings;
  view.requested = revision.requested;
  view.learned_target = revision.learned_target;
  view.is_whole = before == nullptr || before->settings != revision.settings ||
                  share_of(before->path, self) != view.share;
  const std::vector<cluster::ReplicaPtr> none;
  for (const cluster::ReplicaChange& change :
       changed_replicas(view.is_whole ? none : before->replicas, revision.replicas)) {
    const bool took_requests = takes_requests(change.before);
    if (!takes_requests(change.now)) {
      if (took_requests) view.gone.push_back(change.before->name);
      continue;
    }
    ReplicaView now = view_of(*change.now);
    const bool is_same = took_requests && view_of(*change.before) == now;
    if (!is_same) view.ready.push_back(std::move(now));
  }
  // The failure of replicas that are no longer desired must not prevent the next scale-up from
  // zero. An order that was not carried out leaves no replica that may start.
  const bool has_replicas = revision.requested > 0 || !revision.replicas.empty();
  if (has_replicas) view.failure_message = revision.failure_message;
  if (!revision.order_failure.empty() && std::ranges::none_of(revision.replicas, may_serve)) {
    view.order_failure = revision.order_failure;
  }
  view.not_ready = cluster::not_ready_because(revision);
  return view;
}

}  // namespace bellows::activator
