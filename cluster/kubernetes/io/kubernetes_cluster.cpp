#include "cluster/kubernetes/io/kubernetes_cluster.hpp"

#include <algorithm>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/log.hpp"
#include "cluster/kubernetes/core/names.hpp"
#include "cluster/kubernetes/io/kubernetes_cluster_impl.hpp"
#include "cluster/kubernetes/io/requests.hpp"
#include "kubernetes/core/patch.hpp"
#include "kubernetes/io/discovery.hpp"

namespace bellows::cluster {

namespace {

using namespace std::chrono_literals;

/// Objects that arrive within this time are joined together.
constexpr Duration kJoinDelay = 5ms;
constexpr Duration kTick = 250ms;
/// A shorter break of the watches is no outage: each watch is reopened every few minutes.
constexpr Duration kOutage = 2s;
/// After this time without the API server, callers who wait for a first replica get a response. An
/// activator waits 2 s for the autoscaler before it orders one itself, so that is within 5 s.
constexpr Duration kLongOutage = 2500ms;
/// A watch that is open for this long has reported what was missed.
constexpr Duration kConfirmed = 2s;
/// A Service that `kubectl apply` makes after its Deployment is there within this time.
constexpr Duration kServiceMayFollow = 2s;
constexpr Duration kDiscoveryRetry = 2s;
constexpr Duration kDiscoveryPeriod = 10min;

std::string_view state_text(RevisionState state) {
  switch (state) {
    case RevisionState::kActive:
      return "Active";
    case RevisionState::kPaused:
      return "Paused";
    case RevisionState::kRetired:
      return "Retired";
  }
  return {};
}

}  // namespace

/// Asks what the server has: at the start, after each outage, and now and then, because a kind may
/// be installed later.
http::Awaitable<void> KubernetesCluster::Impl::discover() {
  for (;;) {
    const auto features = co_await kubernetes::discover(client_);
    if (features) {
      if (!discovered_) {
        sys::log::info("found the API server", {{"version", features->version.git_version}});
      }
      discovered_ = clock_.now();
      discovery_error_.clear();
      paths_.use(*features);
      departure_.use(features->has_ordered_namespace_deletion());
      scale_.use_deletion_cost(features->has_pod_deletion_cost());
      watches_.follow(*features);
      usage_.use(*features);
    } else {
      const std::string error = to_string(features.error());
      if (std::exchange(discovery_error_, error) != error) {
        sys::log::warning("the kinds of the API server cannot be read", {{"error", error}});
      }
      discovered_.reset();
      if (!client_.last_answer()) outage_.lost(clock_.now());
    }
    const Duration pause = features ? kTick : kDiscoveryRetry;
    do {
      const bool may_go_on = co_await http::sleep_for(pause);
      if (!may_go_on) co_return;
    } while (discovered_ && clock_.now() < *discovered_ + kDiscoveryPeriod);
  }
}

http::Awaitable<void> KubernetesCluster::Impl::keep_time() {
  for (;;) {
    const bool may_go_on = co_await http::sleep_for(kTick);
    if (!may_go_on) co_return;
    observe_outage();
    publish_outage();
    const auto deadline = directory_.next_deadline();
    if (deadline && *deadline <= clock_.now()) join_soon();
    paths_.tick();
    look_at_own_deployment();
    leave();
    if (!is_ready_ || outage_.since() || role_ != KubernetesRole::kAutoscaler) continue;
    if (is_leaving()) {
      restore_all();
      continue;
    }
    adopter_.act();
    for (const RevisionId& id : retired_) scale_.drain(id);
  }
}

void KubernetesCluster::Impl::observe_outage() {
  const TimePoint now = clock_.now();
  const auto last_answer = client_.last_answer();
  const auto statuses = watches_.statuses();
  std::optional<TimePoint> failing;
  bool are_all_open = !statuses.empty();
  for (const WatchedKind& kind : statuses) {
    if (!kind.is_needed) continue;
    const auto& status = kind.status;
    if (status.failing_since && (!last_answer || *last_answer < *status.failing_since)) {
      failing = failing ? std::min(*failing, *status.failing_since) : *status.failing_since;
    }
    // A kind that the server does not have, or that we may not see, is no sign of an outage.
    const bool was_listed = status.listed.has_value();
    const bool is_open = status.watching_since && now - *status.watching_since >= kConfirmed;
    are_all_open = are_all_open && (is_open || !was_listed);
  }
  if (!outage_.since() && failing && now - *failing >= kOutage) {
    outage_.lost(*failing);
    sys::log::warning("lost the API server");
  } else if (outage_.since() && last_answer && *last_answer > *outage_.since()) {
    sys::log::info("the API server is reachable again", {{"after", now - *outage_.since()}});
    outage_.regained(now, random_.fraction());
    discovered_.reset();  // it may be another server
  } else if (!outage_.since() && !outage_.is_confirmed() && are_all_open) {
    outage_.confirmed();
  }
}

/// Tells the subscribers when an outage has become long, and its end. A server that hangs refuses
/// no connection, so a call without an answer counts too. Orders are still sent to such a server.
void KubernetesCluster::Impl::publish_outage() {
  const TimePoint latest = clock_.now() - kLongOutage;
  const auto is_before = [latest](std::optional<TimePoint> at) { return at && *at <= latest; };
  const bool is_long = is_before(outage_.since()) || is_before(client_.unanswered_since());
  if (is_long != order_failure_.empty()) return;
  order_failure_ = is_long ? "the API server has not answered for more than " +
                                 duration_text(kLongOutage) + ", so no replica can be started"
                           : "";
  const RevisionList listed = publisher_.list();
  for (const RevisionPtr& revision : listed) {
    auto changed = std::make_shared<Revision>(*revision);
    changed->order_failure = order_failure_;
    publisher_.put(std::move(changed));
  }
}

void KubernetesCluster::Impl::join_soon() {
  if (std::exchange(joins_soon_, true)) return;
  tasks_.spawn("join", [this] { return join_later(); });
}

http::Awaitable<void> KubernetesCluster::Impl::join_later() {
  const bool may_go_on = co_await http::sleep_for(kJoinDelay);
  joins_soon_ = false;
  if (may_go_on) join();
}

void KubernetesCluster::Impl::join() {
  if (!is_ready_ && !watches_.all_listed()) return;
  if (!is_ready_) {
    paths_.begin();
    for (const RevisionId& id : paths_.with_slices()) follow_stand_in(id);
  }
  Directory::Joined joined = directory_.refresh({.now = clock_.now(), .wall = clock_.wall_now()});
  for (const RevisionId& id : directory_.take_set_back()) scale_.set_back(id);
  for (const RevisionId& id : joined.removed) {
    forget(id);
    publisher_.erase(id);
  }
  for (const std::shared_ptr<Revision>& revision : joined.revisions) {
    const RevisionId id = revision->id;
    paths_.look_at(id);
    revision->path = paths_.path(id);
    revision->order_failure = order_failure_;
    if (is_leaving() && !revision->is_retired()) revision->state = RevisionState::kPaused;
    drain_if_retired(*revision);
    tell_findings(id, *directory_.find(id));
    look_at_status(id);
    publisher_.put(revision);
  }
  if (!std::exchange(is_ready_, true)) publisher_.announce();
  look_at_own_deployment();
  const bool may_adopt = role_ == KubernetesRole::kAutoscaler && !is_leaving();
  if (!outage_.since() && may_adopt) adopter_.act();
}

void KubernetesCluster::Impl::drain_if_retired(const Revision& revision) {
  const bool drains = role_ == KubernetesRole::kAutoscaler && revision.is_retired();
  if (drains && revision.requested > 0) {
    retired_.insert(revision.id);
    scale_.drain(revision.id);
  } else {
    retired_.erase(revision.id);
  }
}

/// Does what a standby leaves to another autoscaler. Before the first list, join() does it.
void KubernetesCluster::Impl::take_over() {
  if (std::exchange(role_, KubernetesRole::kAutoscaler) == KubernetesRole::kAutoscaler) return;
  events_.start();
  paths_.take_over();
  if (!is_ready_) return;
  const RevisionList listed = publisher_.list();
  for (const RevisionPtr& revision : listed) {
    drain_if_retired(*revision);
    tell_findings(revision->id, *directory_.find(revision->id));
    look_at_status(revision->id);
  }
  leave();
}

void KubernetesCluster::Impl::usage_read(UsageReading reading) {
  directory_.usages_changed(reading.usages, std::move(reading.problem));
  join_soon();
}

void KubernetesCluster::Impl::forget(const RevisionId& id) {
  reports_.erase(id);
  told_findings_.erase(id);
  retired_.erase(id);
  restored_.erase(id);
  scale_.forget(id);
  paths_.forget(id);
  look_at_status(id);
  if (const RevisionId recorder = port_recorder(); !recorder.empty()) look_at_status(recorder);
}

/// Returns the Revision whose status records the resting ports; empty: there is none.
RevisionId KubernetesCluster::Impl::port_recorder() const {
  for (const RevisionPtr& revision : publisher_.list()) {
    const Record* record = directory_.find(revision->id);
    if (record != nullptr && !record->object->is_leaving) return revision->id;
  }
  return {};
}

void KubernetesCluster::Impl::look_at_status(const RevisionId& id) {
  const Record* record = directory_.find(id);
  const bool has_status = record == nullptr || (record->is_joined && !record->object->is_leaving);
  if (role_ == KubernetesRole::kAutoscaler && has_status) statuses_.look_at(id);
}

/// Writes an event for each new finding. A Service may be created shortly after its Deployment, by
/// the same command, so a missing one is told only if it stays missing; each report looks again.
void KubernetesCluster::Impl::tell_findings(const RevisionId& id, const Record& record) {
  if (role_ != KubernetesRole::kAutoscaler || record.object->is_leaving) return;
  std::vector<Finding> findings = record.findings;
  if (auto missing = missing_queue_proxy(paths_.routed(id)))
    findings.push_back(*std::move(missing));
  if (auto idle = settings_without_effect(standing(id, record)))
    findings.push_back(*std::move(idle));
  Told& told = told_findings_[id];
  const bool has_service =
      std::ranges::find(findings, kServiceNotFound, &Finding::reason) == findings.end();
  if (has_service) {
    told.no_service_since.reset();
  } else if (!told.no_service_since) {
    told.no_service_since = clock_.now();
  }
  if (!has_service && clock_.now() - *told.no_service_since < kServiceMayFollow) {
    std::erase_if(findings,
                  [](const Finding& finding) { return finding.reason == kServiceNotFound; });
  }
  for (const Finding& finding : findings) {
    if (std::ranges::find(told.findings, finding) != told.findings.end()) continue;
    sys::log::warning("a revision has a problem",
                      {{"revision", id.text()}, {"problem", finding.message}});
    events_.warning(*record.object, finding.reason, finding.message);
  }
  told.findings = std::move(findings);
}

void KubernetesCluster::Impl::written(const RevisionId& id) {
  join_soon();
  look_at_status(id);
}

Standing KubernetesCluster::Impl::standing(const RevisionId& id, const Record& record) const {
  Standing standing = record.standing();
  const auto report = reports_.find(id);
  if (report != reports_.end()) standing.report = report->second;
  standing.scale_error = scale_.error_of(id);
  standing.set_back = scale_.set_back_by(id);
  standing.routed = paths_.routed(id);
  if (paths_.is_on()) standing.activator_port = paths_.path(id).activator_port;
  if (paths_.is_on() && id == port_recorder()) standing.resting_ports = paths_.resting_ports();
  return standing;
}

http::Awaitable<Result<void>> KubernetesCluster::Impl::set_state(RevisionId id,
                                                                 RevisionState state) {
  const Record* record = directory_.find(id);
  if (record == nullptr) {
    co_return fail(ErrorKind::kNotFound, "revision " + id.text(), "is not listed");
  }
  if (record->object->state == state) co_return Result<void>();
  if (record->object->state == RevisionState::kRetired && state != RevisionState::kActive) {
    co_return fail(ErrorKind::kGone, "revision " + id.text(),
                   "is retired; want spec.state: Active first");
  }
  std::string patch = kubernetes::JsonPatch()
                          .test("/metadata/uid", record->object->meta.uid)
                          .add("/spec/state", state_text(state))
                          .body();
  kubernetes::ApiRequest request =
      patch_request(revisions_resource(), record->object->meta.ns, record->object->meta.name, {},
                    {std::string(kubernetes::kJsonPatchType), std::move(patch)});
  request.priority = kubernetes::Priority::kOrder;
  BELLOWS_CO_TRY(const std::string body, co_await client_.call(std::move(request)));
  watches_.take_revision(body);
  co_return Result<void>();
}

std::string KubernetesCluster::Impl::not_ready_reason() const {
  if (is_ready_) return {};
  if (!discovery_error_.empty()) return discovery_error_;
  for (const WatchedKind& kind : watches_.statuses()) {
    if (kind.status.listed || !kind.is_needed) continue;
    std::string reason = kind.name + " are not listed yet";
    if (!kind.status.failure.empty()) reason += ": " + kind.status.failure;
    if (kind.name == kRevisionCrd) reason += "; apply deploy/crd.yaml if it is missing";
    return reason;
  }
  return "the lists are not joined yet";
}

KubernetesCluster::KubernetesCluster(http::net::io_context& io, const sys::Clock& clock,
                                     Random& random, kubernetes::ApiClient& client,
                                     KubernetesOptions options)
    : impl_(std::make_unique<Impl>(io, clock, random, client, std::move(options))) {}

KubernetesCluster::~KubernetesCluster() = default;

void KubernetesCluster::start() {
  impl_->start();
}

void KubernetesCluster::take_over() {
  impl_->take_over();
}

bool KubernetesCluster::takes_orders() const {
  return impl_->takes_orders();
}

http::Awaitable<void> KubernetesCluster::leave_if_uninstalled(TimePoint deadline) {
  co_await impl_->leave_if_uninstalled(deadline);
}

void KubernetesCluster::hand_over(PodName self) {
  impl_->hand_over(std::move(self));
}

http::Awaitable<void> KubernetesCluster::stop(TimePoint deadline) {
  co_await impl_->stop(deadline);
}

const RevisionList& KubernetesCluster::revisions() const {
  return impl_->publisher().list();
}

bool KubernetesCluster::ready() const {
  return impl_->ready();
}

std::optional<TimePoint> KubernetesCluster::unreachable_since() const {
  return impl_->unreachable_since();
}

std::unique_ptr<Subscription> KubernetesCluster::subscribe(OnChange on_change) {
  return impl_->publisher().subscribe(std::move(on_change));
}

http::Awaitable<Result<void>> KubernetesCluster::scale(RevisionId revision, ScaleOrder order) {
  co_return co_await impl_->scale(std::move(revision), std::move(order));
}

http::Awaitable<Result<void>> KubernetesCluster::set_state(RevisionId revision,
                                                           RevisionState state) {
  co_return co_await impl_->set_state(std::move(revision), state);
}

void KubernetesCluster::report(RevisionId revision, Report report) {
  impl_->report(revision, std::move(report));
}

const std::vector<Activator>& KubernetesCluster::activators() const {
  return impl_->publisher().activators();
}

SenderTokens* KubernetesCluster::sender_tokens() const {
  return impl_->sender_tokens();
}

void KubernetesCluster::route(RevisionId revision, PathOrder order) {
  impl_->route(revision, std::move(order));
}

std::string KubernetesCluster::not_ready_reason() const {
  return impl_->not_ready_reason();
}

std::vector<WatchedKind> KubernetesCluster::watches() const {
  return impl_->watches().statuses();
}

}  // namespace bellows::cluster
