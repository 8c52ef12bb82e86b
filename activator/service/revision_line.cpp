#include "activator/service/revision_line.hpp"

#include <memory>
#include <utility>

namespace bellows::activator {
namespace {

RevisionView view_of(const cluster::Revision& revision) {
  RevisionView view;
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
      throttler_(revision.id, std::make_unique<LeastInFlight>()) {
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

void RevisionLine::release(HeldRequest& request, PodOutcome outcome, TimePoint now) {
  if (throttler_.release(request, outcome, now)) instruments().set_asides.add();
  after_change(now);
}

void RevisionLine::update(const cluster::Revision& revision) {
  const TimePoint now = surroundings_.reactor.now();
  if (revision.retired) {
    close(Error(ErrorKind::kGone, "service " + revision.id.text(),
                "was retired and serves nothing any more", ErrorSide::kDownstream));
    return;
  }
  throttler_.update(view_of(revision), now);
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
  is_quiet_ = throttler_.waiting() == 0;
  if (was_quiet && is_quiet_) return;  // the warm path
  surroundings_.stats.set_waiting(throttler_.revision(), throttler_.waiting(), now);
  if (throttler_.wake_now(now)) {
    instruments().wakes.add();
    surroundings_.waker.wake(throttler_.revision(), throttler_.waiting());
  }
  if (const auto next = throttler_.next_tick(now)) {
    set_deadline(*next);
  } else {
    clear_deadline();
  }
}

RevisionInstruments& RevisionLine::instruments() {
  if (!instruments_) instruments_.emplace(surroundings_.registry, throttler_.revision());
  return *instruments_;
}

void RevisionLine::refresh_gauges() {
  if (!instruments_) return;
  instruments_->in_flight.set(static_cast<double>(throttler_.in_flight()));
  instruments_->queue_depth.set(static_cast<double>(throttler_.waiting()));
}

}  // namespace bellows::activator
