// The second half of a KubernetesCluster: the paths of requests, deleted Revisions, and the end.
#include <algorithm>
#include <utility>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster_impl.hpp"

namespace bellows::cluster {

namespace {

using namespace std::chrono_literals;

constexpr Duration kBetweenRestores = 5s;
constexpr Duration kLeaveTick = 100ms;
/// Nodes may send requests to an activator for this long after its last slice is gone.
constexpr Duration kLateNodes = 10s;

std::string_view leaving_text(PathsEnd end) {
  switch (end) {
    case PathsEnd::kStay:
      return "the kind Revision and the namespace of the activators are there again";
    case PathsEnd::kOnceServed:
      return "leaving the cluster: no revision stays at zero, no path is left";
    case PathsEnd::kAtOnce:
      return "the namespace of the activators goes: paths go without waiting for pods";
  }
  return {};
}

PathKeeper::Duty duty_of(KubernetesRole role) {
  switch (role) {
    case KubernetesRole::kAutoscaler:
      return PathKeeper::Duty::kKeeps;
    case KubernetesRole::kStandby:
      return PathKeeper::Duty::kReads;
    case KubernetesRole::kActivator:
      break;
  }
  return PathKeeper::Duty::kRepairs;
}

}  // namespace

WatchCallbacks KubernetesCluster::Impl::watch_callbacks() {
  WatchCallbacks callbacks = {
      .changed = [this] { join_soon(); },
      .adoptable = [this](const std::string& key) { adopter_.look_at(key); },
      .revision = [this](const RevisionObjectPtr& before,
                         const RevisionObjectPtr& after) { revision_changed(before, after); },
      .slice = [this](const SlicePtr& before,
                      const SlicePtr& after) { slice_changed(before, after); },
      .definition = {},
      .activators_namespace = {}};
  if (role_ == KubernetesRole::kActivator) return callbacks;
  callbacks.definition = [this](const BareObjectPtr& after) { definition_changed(after); };
  callbacks.activators_namespace = [this](const BareObjectPtr& after) { namespace_changed(after); };
  return callbacks;
}

PathKeeper::Parts KubernetesCluster::Impl::path_parts(http::net::io_context& io) {
  return {.io = io,
          .clock = clock_,
          .client = client_,
          .tasks = tasks_,
          .directory = directory_,
          .outage = outage_,
          .duty = duty_of(role_),
          .changed = [this](const RevisionId& id) { path_changed(id); },
          .activators_changed = [this] { publisher_.set_activators(paths_.activators()); },
          .slice_written = [this](const std::string& body) { watches_.take_slice(body); },
          .restore = [this](const RevisionId& id, PodCount replicas) { restore(id, replicas); }};
}

/// Returns what stands for a deleted Revision: a slice of ours that is left; for an activator,
/// which may hear of the slice's end first, itself for a while. Null: nothing does.
RevisionObjectPtr KubernetesCluster::Impl::in_place_of(const RevisionId& id, const Record* record) {
  if (RevisionObjectPtr stand_in = paths_.stand_in(id)) return stand_in;
  const std::uint16_t port = paths_.path(id).activator_port;
  if (role_ != KubernetesRole::kActivator || record == nullptr || port == 0) return nullptr;
  auto leaving = std::make_shared<RevisionObject>(*record->object);
  leaving->is_leaving = true;
  leaving->state = RevisionState::kPaused;
  leaving->status.activator_port = port;
  tasks_.spawn("removal of " + id.text(), [this, id] { return remove_later(id); });
  return leaving;
}

/// A stand-in replaces a deleted Revision while a slice of ours is left.
void KubernetesCluster::Impl::revision_changed(const RevisionObjectPtr& before,
                                               const RevisionObjectPtr& after) {
  if (after) paths_.revision_changed(*after);
  const RevisionId id(kubernetes::object_key((after ? after : before)->meta));
  const Record* record = directory_.find(id);
  const RevisionObjectPtr next = after || !is_ready_ ? after : in_place_of(id, record);
  directory_.revision_changed(record == nullptr ? before : record->object, next);
}

void KubernetesCluster::Impl::slice_changed(const SlicePtr& before, const SlicePtr& after) {
  paths_.slice_changed(before, after);
  if (!is_ready_) return;
  for (const SlicePtr& each : {before, after}) {
    if (each) follow_stand_in(revision_of(*each));
  }
}

void KubernetesCluster::Impl::follow_stand_in(const RevisionId& id) {
  const Record* record = directory_.find(id);
  const bool is_there = record != nullptr && !record->object->is_leaving;
  if (id.empty() || is_there) return;
  const RevisionObjectPtr stand_in = paths_.stand_in(id);
  if (record == nullptr && !stand_in) return;
  if (record != nullptr && stand_in) return;  // what it stands for does not change
  if (!stand_in && role_ == KubernetesRole::kActivator) {
    tasks_.spawn("removal of " + id.text(), [this, id] { return remove_later(id); });
    return;
  }
  directory_.revision_changed(record == nullptr ? nullptr : record->object, stand_in);
  join_soon();
}

/// An activator serves whom nodes still send, although the Revision and its slice are gone.
http::Awaitable<void> KubernetesCluster::Impl::remove_later(RevisionId id) {
  const bool may_go_on = co_await http::sleep_for(kLateNodes);
  const Record* record = directory_.find(id);
  if (!may_go_on || record == nullptr || !record->object->is_leaving) co_return;
  if (paths_.stand_in(id)) co_return;
  directory_.revision_changed(record->object, nullptr);
  join_soon();
}

/// All Revisions go with their definition, and soon after the rights of this program, if all of
/// Bellows is deleted at once.
void KubernetesCluster::Impl::definition_changed(const BareObjectPtr& after) {
  const bool is_there = after && !after->meta.deleted;
  if (is_there) paths_.own_by(after->meta.uid);
  departure_.definition_changed(is_there);
  leave();
}

/// The paths would name activators that are gone, and nobody would have the right to change them.
void KubernetesCluster::Impl::namespace_changed(const BareObjectPtr& after) {
  departure_.namespace_changed(after && !after->meta.deleted, clock_.now());
  leave();
}

/// A standby notices what happens, and leaves the cluster once it has taken over.
void KubernetesCluster::Impl::leave() {
  if (role_ == KubernetesRole::kStandby) return;
  const PathsEnd end = departure_.at(clock_.now());
  if (std::exchange(paths_end_, end) == end) return;
  sys::log::info(leaving_text(end));
  paths_.leave(end);
  if (!is_leaving()) return;
  const RevisionList listed = publisher_.list();
  for (const RevisionPtr& revision : listed) {
    if (revision->is_retired()) continue;
    auto paused = std::make_shared<Revision>(*revision);
    paused->state = RevisionState::kPaused;
    publisher_.put(std::move(paused));
  }
  restore_all();
}

bool KubernetesCluster::Impl::is_at_zero(const RevisionId& id) const {
  const Record* record = directory_.find(id);
  return record != nullptr && record->target && record->requested() == 0 &&
         record->object->state != RevisionState::kRetired;
}

void KubernetesCluster::Impl::restore_all() {
  const RevisionList listed = publisher_.list();
  for (const RevisionPtr& revision : listed) {
    if (!is_at_zero(revision->id)) continue;
    const PodCount before = replicas_before(directory_.find(revision->id)->object->meta);
    restore(revision->id, std::max<PodCount>(1, before));
  }
}

bool KubernetesCluster::Impl::has_left() const {
  const auto& listed = publisher_.list();
  return paths_.with_slices().empty() &&
         std::ranges::none_of(listed, [&](const auto& each) { return is_at_zero(each->id); });
}

/// Only a Deployment that was listed before can be deleted: this program may run elsewhere.
void KubernetesCluster::Impl::look_at_own_deployment() {
  if (own_deployment_.empty()) return;
  const TargetPtr own = directory_.find_target("apps/Deployment " + own_deployment_);
  was_own_deployment_listed_ = was_own_deployment_listed_ || own != nullptr;
  is_uninstalled_ = own ? own->meta.deleted.has_value() : was_own_deployment_listed_;
}

http::Awaitable<void> KubernetesCluster::Impl::leave_if_uninstalled(TimePoint deadline) {
  look_at_own_deployment();
  if (!is_ready_ || has_successor() || !takes_orders()) co_return;
  departure_.ends();
  leave();
  while (!has_left() && clock_.now() < deadline) {
    const bool may_go_on = co_await http::sleep_for(kLeaveTick);
    if (!may_go_on) co_return;
    look_at_own_deployment();
    if (has_successor()) co_return;  // what was deleted was made again
  }
  if (!has_left()) sys::log::warning("paths or revisions at zero are left behind");
}

void KubernetesCluster::Impl::path_changed(const RevisionId& id) {
  if (const Record* record = directory_.find(id)) tell_findings(id, *record);
  look_at_status(id);
  const RevisionPtr listed = publisher_.list().find(id);
  if (!listed || listed->path == paths_.path(id)) return;
  auto revision = std::make_shared<Revision>(*listed);
  revision->path = paths_.path(id);
  publisher_.put(std::move(revision));
}

void KubernetesCluster::Impl::restore(const RevisionId& id, PodCount replicas) {
  const TimePoint now = clock_.now();
  TimePoint& not_before = restored_[id];
  if (now < not_before) return;
  not_before = now + kBetweenRestores;
  tasks_.spawn("restore " + id.text(),
               [this, id, replicas] { return order_restored(id, replicas); });
}

http::Awaitable<void> KubernetesCluster::Impl::order_restored(RevisionId id, PodCount replicas) {
  ScaleOrder order{
      .desired = replicas,
      .drain_first = {},
      .reason = is_leaving() ? "Bellows leaves the cluster" : "its Revision was deleted"};
  const Result<void> restored = co_await scale_.order(id, std::move(order));
  if (!restored) {
    sys::log::warning("a Deployment that Bellows does not scale any more stays at zero",
                      {{"revision", id.text()}, {"error", to_string(restored.error())}});
  }
}

/// Allows zero only while callers of the Service reach activators. An activator may only start the
/// first replica.
Result<void> KubernetesCluster::Impl::may_go_to(const RevisionId& id, const Record& record,
                                                PodCount desired) {
  if (role_ == KubernetesRole::kActivator && (record.requested() > 0 || desired != 1)) {
    return fail(ErrorKind::kConflict, "revision " + id.text(),
                "an activator may only start the first replica");
  }
  if (is_leaving() && desired == 0) {
    return fail(ErrorKind::kConflict, "revision " + id.text(), "Bellows leaves the cluster");
  }
  if (!paths_.is_on()) return {};
  const bool is_to_zero = desired == 0 && record.requested() > 0;
  paths_.want_zero(id, is_to_zero);
  if (!is_to_zero || paths_.path(id).state == PathState::kHeld) return {};
  const auto routed = paths_.routed(id);
  return fail(ErrorKind::kConflict, "revision " + id.text(),
              "its callers would get no response at zero" +
                  (routed ? ": " + routed->message : std::string()));
}

}  // namespace bellows::cluster
