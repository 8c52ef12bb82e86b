#include "activator/service/revision_handle.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "activator/core/client_shares.hpp"
#include "activator/core/meanwhile.hpp"
#include "base/sys/log.hpp"
#include "config/waiting_page.hpp"

namespace bellows::activator {
namespace {

bool is_ready(const cluster::Replica* replica) {
  return replica != nullptr && replica->phase == cluster::ReplicaPhase::kReady &&
         !replica->address.empty();
}

bool is_starting(const cluster::Replica& replica) {
  return (replica.phase == cluster::ReplicaPhase::kPending ||
          replica.phase == cluster::ReplicaPhase::kStarting) &&
         !replica.address.empty();
}

}  // namespace

ReplicaView RevisionHandle::view_of(const cluster::Replica& replica) const {
  ReplicaView view{.name = replica.name,
                   .address = replica.address,
                   .ordered = replica.start.ordered,
                   .process_started = replica.start.process_started,
                   .ready = replica.start.ready};
  const auto found = found_.find(replica.name);
  if (!is_ready(&replica) && found != found_.end()) view.ready = found->second.at;
  return view;
}

bool RevisionHandle::takes_requests(const cluster::Replica* replica) const {
  if (is_ready(replica)) return true;
  if (replica == nullptr || found_.empty() || !is_starting(*replica)) return false;
  const auto found = found_.find(replica->name);
  return found != found_.end() && found->second.address == replica->address &&
         found->second.restarts == replica->restarts;
}

/// Which part of the replicas is ours: by the activators of the path, or by the settings.
ActivatorShare RevisionHandle::share_of(const cluster::Path& path) const {
  if (path.activators.empty()) return dependencies_.share;
  const auto own = std::ranges::find(path.activators, dependencies_.self);
  const auto index = own == path.activators.end() ? -1 : own - path.activators.begin();
  return {.activators = static_cast<std::int32_t>(path.activators.size()),
          .index = static_cast<std::int32_t>(index)};
}

/// What changed since `before`; everything if that is null or had other settings.
RevisionView RevisionHandle::view_since(const cluster::Revision* before,
                                        const cluster::Revision& revision) const {
  RevisionView view;
  view.share = share_of(revision.path);
  view.settings = revision.settings;
  view.requested = revision.requested;
  view.is_whole = before == nullptr || before->settings != revision.settings ||
                  share_of(before->path) != view.share;
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
  // zero.
  const bool has_replicas = revision.requested > 0 || !revision.replicas.empty();
  if (has_replicas) view.failure_message = revision.failure_message;
  return view;
}

RevisionHandle::RevisionHandle(RevisionDependencies& dependencies,
                               const cluster::RevisionPtr& revision)
    : http::Timer(dependencies.reactor.timers()),
      dependencies_(dependencies),
      throttler_(revision->id, dependencies.random) {
  update(revision);
}

HoldState RevisionHandle::enqueue(HeldRequest& request, std::size_t bytes, TimePoint now) {
  throttler_.enqueue(request, bytes, now);
  after_change(now);
  return request.state();
}

HoldState RevisionHandle::requeue(HeldRequest& request, std::size_t bytes, TimePoint now) {
  throttler_.requeue(request, bytes, now);
  after_change(now);
  return request.state();
}

void RevisionHandle::cancel(HeldRequest& request, TimePoint now) {
  throttler_.cancel(request, now);
  after_change(now);
}

void RevisionHandle::record_response(const HeldRequest& request, const LoadReport& report,
                                     TimePoint now) {
  throttler_.record_response(request, report, now);
  after_change(now);
}

void RevisionHandle::release(HeldRequest& request, PodOutcome outcome, FailureReason why,
                             TimePoint now) {
  const PodName replica = outcome == PodOutcome::kFailed || outcome == PodOutcome::kUnresponsive
                              ? request.grant().pod->name()
                              : PodName();
  if (throttler_.release(request, outcome, now)) {
    instruments().replica_ejected(why);
    sys::log::warning("replica ejected", {{"service", throttler_.revision().text()},
                                          {"replica", replica.text()},
                                          {"why", to_string(why)}});
  }
  after_change(now);
}

void RevisionHandle::update(const cluster::RevisionPtr& revision) {
  const TimePoint now = dependencies_.reactor.now();
  if (revision->is_retired()) {
    close(Error(ErrorKind::kGone, "service " + revision->id.text(),
                "was retired and serves nothing any more", ErrorSide::kDownstream));
    return;
  }
  const RevisionView view = view_since(applied_.get(), *revision);
  if (view.is_whole) {
    probes_ = {revision->settings.probe_user_agents, revision->settings.probe_paths};
    read_caller_settings(*revision);
  }
  applied_ = revision;
  forget_found();
  has_new_starts_ = true;
  throttler_.update(view, now);
  after_change(now);
}

/// A page that cannot be read is replaced by the built-in one: callers that wait are told
/// something.
void RevisionHandle::read_caller_settings(const cluster::Revision& revision) {
  const config::CallerSettings& settings = revision.settings.callers;
  const bool is_sticky = settings.session_affinity == config::SessionAffinity::kCookie;
  const bool is_by_cookie =
      settings.split_by == config::SplitBy::kClient && settings.client_header.empty();
  client_cookie_.clear();
  if (is_sticky || is_by_cookie) {
    client_cookie_ = client_cookie_name(revision.service.empty() ? revision.id : revision.service);
  }
  // The setting was checked when it was read.
  static_answers_ = config::read_static_answers(settings.static_answers)
                        .value_or(std::vector<config::StaticAnswer>());
  has_meanwhile_ = !settings.waiting_page.empty() || !settings.fallback_service.empty();
  const bool has_own = !settings.waiting_page.empty() &&
                       settings.waiting_page != config::kBuiltInPage &&
                       dependencies_.pages != nullptr;
  own_page_ = has_own ? dependencies_.pages->open(settings.waiting_page) : nullptr;
}

std::string RevisionHandle::waiting_page(bool is_failing) const {
  if (throttler_.settings().callers.waiting_page.empty()) return {};
  const bool has_own = own_page_ != nullptr && !own_page_->text.empty();
  return has_own ? own_page_->text : built_in_page(throttler_.revision(), is_failing);
}

void RevisionHandle::replica_found(const StartingReplica& replica) {
  if (applied_ == nullptr) return;
  const cluster::Replica* listed = applied_->find(replica.name);
  if (listed == nullptr || !is_starting(*listed) || listed->address != replica.address) return;
  const TimePoint now = dependencies_.reactor.now();
  found_[replica.name] = {.address = listed->address, .restarts = listed->restarts, .at = now};
  RevisionView view = view_since(applied_.get(), *applied_);
  view.ready.push_back(view_of(*listed));
  throttler_.update(view, now);
  after_change(now);
}

/// A found replica that became ready, ended or was restarted has to be found anew.
void RevisionHandle::forget_found() {
  std::erase_if(found_, [this](const auto& found) {
    const cluster::Replica* listed = applied_->find(found.first);
    return is_ready(listed) || !takes_requests(listed);
  });
}

/// Has the starting replicas probed while a request waits.
void RevisionHandle::probe_starts() {
  if (dependencies_.starts == nullptr) return;
  const bool is_wanted = applied_ != nullptr && throttler_.waiting() > 0;
  const bool has_changed = is_wanted && has_new_starts_;
  if (is_wanted == probes_starts_ && !has_changed) return;
  probes_starts_ = is_wanted;
  has_new_starts_ = false;
  std::vector<StartingReplica> starting;
  if (is_wanted) {
    for (const cluster::ReplicaPtr& replica : applied_->replicas) {
      if (!is_starting(*replica) || takes_requests(replica.get())) continue;
      starting.push_back({.name = replica->name, .address = replica->address});
    }
  }
  dependencies_.starts->set(throttler_.revision(), starting);
}

void RevisionHandle::close(Error error) {
  applied_.reset();
  found_.clear();
  throttler_.close(std::move(error));
  after_change(dependencies_.reactor.now());
}

void RevisionHandle::on_expiry() {
  const TimePoint now = dependencies_.reactor.now();
  throttler_.tick(now);
  after_change(now);
}

void RevisionHandle::after_change(TimePoint now) {
  const bool was_quiet = is_quiet_;
  is_quiet_ = throttler_.is_quiet();
  if (was_quiet && is_quiet_) return;  // the path of a request that gets a replica at once
  dependencies_.stats.set_waiting(throttler_.revision(), throttler_.waiting(), now);
  if (throttler_.take_scale_from_zero_trigger(now)) {
    instruments().scale_from_zero_triggers.add();
    dependencies_.notifier.trigger(throttler_.revision(), throttler_.waiting(),
                                   throttler_.triggered_for(now));
  }
  const bool may_be_reached = throttler_.ready() == 0 || throttler_.ejected() < throttler_.ready();
  if (may_be_reached) reachability_.note_reached();
  tell_reachability(now);
  send_due_probes(now);
  probe_starts();
  if (const auto next = throttler_.next_tick(now)) {
    set_deadline(*next);
  } else {
    clear_deadline();
  }
}

/// To the autoscaler, for the users of the cluster.
void RevisionHandle::tell_reachability(TimePoint now) {
  const bool is_unreachable = applied_ != nullptr && reachability_.is_unreachable(now);
  const std::uint64_t unreachable = is_unreachable ? throttler_.ready() : 0;
  if (std::exchange(told_unreachable_, unreachable) == unreachable) return;
  dependencies_.stats.set_unreachable(throttler_.revision(), unreachable);
}

void RevisionHandle::send_due_probes(TimePoint now) {
  for (DueProbe& probe : throttler_.due_probes(now)) {
    dependencies_.prober.probe(
        std::move(probe.address), kProbeTimeout,
        lifetime_.bind([this, name = std::move(probe.replica)](ProbeResult result) {
          on_probe_ended(name, result);
        }));
  }
}

void RevisionHandle::on_probe_ended(const PodName& replica, ProbeResult result) {
  const TimePoint now = dependencies_.reactor.now();
  note_reachability(replica, result, now);
  if (throttler_.end_probe(replica, result == ProbeResult::kReady, now)) {
    sys::log::info("replica healthy again",
                   {{"service", throttler_.revision().text()}, {"replica", replica.text()}});
  }
  after_change(now);
}

void RevisionHandle::note_reachability(const PodName& replica, ProbeResult result, TimePoint now) {
  const cluster::Replica* listed = applied_ != nullptr ? applied_->find(replica) : nullptr;
  if (!is_ready(listed)) return;
  reachability_.note_probe(result, throttler_.ejected() == throttler_.ready(), now);
  if (!reachability_.take_news(now)) return;
  sys::log::warning(
      "no ready replica can be reached at its address; a mesh or a network policy keeps this "
      "activator away",
      {{"service", throttler_.revision().text()}, {"address", to_string(listed->address)}});
}

RevisionInstruments& RevisionHandle::instruments() {
  if (!instruments_) {
    instruments_ =
        std::make_unique<RevisionInstruments>(dependencies_.registry, throttler_.revision());
  }
  return *instruments_;
}

void RevisionHandle::refresh_gauges() {
  if (!instruments_) return;
  instruments_->in_flight.set(static_cast<double>(throttler_.in_flight()));
  instruments_->queue_depth.set(static_cast<double>(throttler_.waiting()));
  instruments_->ejected_replicas.set(static_cast<double>(throttler_.ejected()));
  const bool is_unreachable = reachability_.is_unreachable(dependencies_.reactor.now());
  instruments_->unreachable_replicas.set(is_unreachable ? static_cast<double>(throttler_.ready())
                                                        : 0);
}

}  // namespace bellows::activator
