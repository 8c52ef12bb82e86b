// The second half of a KubernetesCluster: the paths of requests, and deleted Revisions.
#include <utility>

#include "base/sys/log.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster_impl.hpp"

namespace bellows::cluster {

namespace {

constexpr Duration kBetweenRestores = std::chrono::seconds(5);

}  // namespace

WatchCallbacks KubernetesCluster::Impl::watch_callbacks() {
  return {.changed = [this] { join_soon(); },
          .adoptable = [this](const std::string& key) { adopter_.look_at(key); },
          .revision = [this](const RevisionObjectPtr& before,
                             const RevisionObjectPtr& after) { revision_changed(before, after); },
          .slice = [this](const SlicePtr& before,
                          const SlicePtr& after) { slice_changed(before, after); }};
}

PathKeeper::Parts KubernetesCluster::Impl::path_parts(http::net::io_context& io) {
  return {.io = io,
          .clock = clock_,
          .client = client_,
          .tasks = tasks_,
          .directory = directory_,
          .outage = outage_,
          .only_reads = role_ == KubernetesRole::kActivator,
          .changed = [this](const RevisionId& id) { path_changed(id); },
          .activators_changed = [this] { publisher_.set_activators(paths_.activators()); },
          .slice_written = [this](const std::string& body) { watches_.take_slice(body); },
          .restore = [this](const RevisionId& id, PodCount replicas) { restore(id, replicas); }};
}

/// A stand-in replaces a deleted Revision while a slice of ours is left.
void KubernetesCluster::Impl::revision_changed(const RevisionObjectPtr& before,
                                               const RevisionObjectPtr& after) {
  if (after) paths_.revision_changed(*after);
  const RevisionId id(kubernetes::object_key((after ? after : before)->meta));
  const Record* record = directory_.find(id);
  const RevisionObjectPtr next = after || !is_ready_ ? after : paths_.stand_in(id);
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
  directory_.revision_changed(record == nullptr ? nullptr : record->object, stand_in);
  join_soon();
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
  ScaleOrder order{.desired = replicas, .drain_first = {}, .reason = "its Revision was deleted"};
  const Result<void> restored = co_await scale_.order(id, std::move(order));
  if (!restored) {
    sys::log::warning("a Deployment whose Revision was deleted stays at zero",
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
