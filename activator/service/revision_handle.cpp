#include "activator/service/revision_handle.hpp"

#include <string>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::activator {
namespace {

bool is_ready(const cluster::Replica* replica) {
  return replica != nullptr && replica->phase == cluster::ReplicaPhase::kReady &&
         !replica->address.empty();
}

ReplicaView view_of(const cluster::Replica& replica) {
  return {.name = replica.name,
          .address = replica.address,
          .ordered = replica.start.ordered,
          .process_started = replica.start.process_started,
          .ready = replica.start.ready};
}

/// What changed since `before`; everything if that is null or had other settings.
RevisionView view_of(const cluster::Revision& revision, const cluster::Revision* before,
                     ActivatorShare share) {
  RevisionView view;
  view.share = share;
  view.settings = revision.settings;
  view.is_whole = before == nullptr || before->settings != revision.settings;
  const std::vector<cluster::ReplicaPtr> none;
  for (const cluster::ReplicaChange& change :
       changed_replicas(view.is_whole ? none : before->replicas, revision.replicas)) {
    const bool was_ready = is_ready(change.before);
    if (!is_ready(change.now)) {
      if (was_ready) view.gone.push_back(change.before->name);
      continue;
    }
    ReplicaView now = view_of(*change.now);
    const bool is_same = was_ready && view_of(*change.before) == now;
    if (!is_same) view.ready.push_back(std::move(now));
  }
  // The failure of replicas that are no longer desired must not prevent the next scale-up from
  // zero.
  const bool has_replicas = revision.requested > 0 || !revision.replicas.empty();
  if (has_replicas) view.failure_message = revision.failure_message;
  return view;
}

}  // namespace

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
  const RevisionView view = view_of(*revision, applied_.get(), dependencies_.share);
  if (view.is_whole) {
    probes_ = {revision->settings.probe_user_agents, revision->settings.probe_paths};
  }
  applied_ = revision;
  throttler_.update(view, now);
  after_change(now);
}

void RevisionHandle::close(Error error) {
  applied_.reset();
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
  send_due_probes(now);
  if (const auto next = throttler_.next_tick(now)) {
    set_deadline(*next);
  } else {
    clear_deadline();
  }
}

void RevisionHandle::send_due_probes(TimePoint now) {
  for (DueProbe& probe : throttler_.due_probes(now)) {
    dependencies_.prober.probe(
        std::move(probe.address),
        lifetime_.bind([this, name = std::move(probe.replica)](bool has_succeeded) {
          on_probe_ended(name, has_succeeded);
        }));
  }
}

void RevisionHandle::on_probe_ended(const PodName& replica, bool has_succeeded) {
  const TimePoint now = dependencies_.reactor.now();
  if (throttler_.end_probe(replica, has_succeeded, now)) {
    sys::log::info("replica healthy again",
                   {{"service", throttler_.revision().text()}, {"replica", replica.text()}});
  }
  after_change(now);
}

RevisionInstruments& RevisionHandle::instruments() {
  if (!instruments_) instruments_.emplace(dependencies_.registry, throttler_.revision());
  return *instruments_;
}

void RevisionHandle::refresh_gauges() {
  if (!instruments_) return;
  instruments_->in_flight.set(static_cast<double>(throttler_.in_flight()));
  instruments_->queue_depth.set(static_cast<double>(throttler_.waiting()));
  instruments_->ejected_replicas.set(static_cast<double>(throttler_.ejected()));
}

}  // namespace bellows::activator
