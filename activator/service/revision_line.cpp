#include "activator/service/revision_line.hpp"

#include <string>
#include <utility>

#include "base/sys/log.hpp"

namespace bellows::activator {
namespace {

RevisionView view_of(const cluster::Revision& revision, ActivatorShare share) {
  RevisionView view;
  view.share = share;
  view.settings = revision.settings;
  for (const cluster::Replica& replica : revision.replicas) {
    if (replica.phase != cluster::ReplicaPhase::kReady || replica.address.empty()) continue;
    view.ready.push_back({.name = replica.name,
                          .address = replica.address,
                          .ordered = replica.start.ordered,
                          .process_started = replica.start.process_started,
                          .ready = replica.start.ready});
  }
  // Trouble of replicas that are no longer wanted must not keep a sleeping revision from being
  // woken.
  const bool is_tried = revision.requested > 0 || !revision.replicas.empty();
  if (is_tried) view.trouble = revision.trouble;
  return view;
}

}  // namespace

RevisionLine::RevisionLine(LineSurroundings& surroundings, const cluster::Revision& revision)
    : http::Deadline(surroundings.reactor.watchdog()),
      surroundings_(surroundings),
      throttler_(revision.id, surroundings.random) {
  update(revision);
}

HoldState RevisionLine::enter(HeldRequest& request, std::size_t bytes, TimePoint now) {
  throttler_.enter(request, bytes, now);
  after_change(now);
  return request.state();
}

HoldState RevisionLine::enter_again(HeldRequest& request, std::size_t bytes, TimePoint now) {
  throttler_.enter_again(request, bytes, now);
  after_change(now);
  return request.state();
}

void RevisionLine::leave(HeldRequest& request, TimePoint now) {
  throttler_.leave(request, now);
  after_change(now);
}

void RevisionLine::answered(const HeldRequest& request, const ReplicaWord& word, TimePoint now) {
  throttler_.answered(request, word, now);
  after_change(now);
}

void RevisionLine::release(HeldRequest& request, PodOutcome outcome, FailureReason why,
                           TimePoint now) {
  const PodName replica = outcome == PodOutcome::kFailed || outcome == PodOutcome::kSilent
                              ? request.grant().pod->name()
                              : PodName();
  if (throttler_.release(request, outcome, now)) {
    instruments().replica_ejected(why);
    sys::log::warning("replica set aside", {{"service", throttler_.revision().text()},
                                            {"replica", replica.text()},
                                            {"why", to_string(why)}});
  }
  after_change(now);
}

void RevisionLine::update(const cluster::Revision& revision) {
  const TimePoint now = surroundings_.reactor.now();
  if (revision.retired) {
    close(Error(ErrorKind::kGone, "service " + revision.id.text(),
                "was retired and serves nothing any more", ErrorSide::kDownstream));
    return;
  }
  probes_ = {revision.settings.probe_user_agents, revision.settings.probe_paths};
  throttler_.update(view_of(revision, surroundings_.share), now);
  after_change(now);
}

void RevisionLine::close(Error error) {
  throttler_.close(std::move(error));
  after_change(surroundings_.reactor.now());
}

void RevisionLine::on_deadline() {
  const TimePoint now = surroundings_.reactor.now();
  throttler_.tick(now);
  after_change(now);
}

void RevisionLine::after_change(TimePoint now) {
  const bool was_quiet = is_quiet_;
  is_quiet_ = throttler_.is_quiet();
  if (was_quiet && is_quiet_) return;  // the warm path
  surroundings_.stats.set_waiting(throttler_.revision(), throttler_.waiting(), now);
  if (throttler_.wake_now(now)) {
    instruments().wakes.add();
    surroundings_.waker.wake(throttler_.revision(), throttler_.waiting(),
                             throttler_.woken_for(now));
  }
  send_due_probes(now);
  if (const auto next = throttler_.next_tick(now)) {
    set_deadline(*next);
  } else {
    clear_deadline();
  }
}

void RevisionLine::send_due_probes(TimePoint now) {
  for (ProbeOrder& order : throttler_.due_probes(now)) {
    surroundings_.prober.probe(
        std::move(order.address),
        [this, alive = alive_, replica = std::move(order.replica)](bool has_answered) {
          if (*alive) probe_ended(replica, has_answered);
        });
  }
}

void RevisionLine::probe_ended(const PodName& replica, bool has_answered) {
  const TimePoint now = surroundings_.reactor.now();
  if (throttler_.probe_ended(replica, has_answered, now)) {
    sys::log::info("replica back",
                   {{"service", throttler_.revision().text()}, {"replica", replica.text()}});
  }
  after_change(now);
}

RevisionInstruments& RevisionLine::instruments() {
  if (!instruments_) instruments_.emplace(surroundings_.registry, throttler_.revision());
  return *instruments_;
}

void RevisionLine::refresh_gauges() {
  if (!instruments_) return;
  instruments_->in_flight.set(static_cast<double>(throttler_.in_flight()));
  instruments_->queue_depth.set(static_cast<double>(throttler_.waiting()));
  instruments_->set_aside.set(static_cast<double>(throttler_.set_aside()));
}

}  // namespace bellows::activator
