#include "activator/service/revision_handle.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
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
  view.learned_target = revision.learned_target;
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
      revision_(revision->id) {
  update(revision);
}

RevisionThrottler& RevisionHandle::throttler() const {
  if (!throttler_) {
    throttler_ = std::make_unique<RevisionThrottler>(revision_, dependencies_.random);
    // Nothing of the view depends on the time: there is no request.
    if (applied_) throttler_->update(view_since(nullptr, *applied_), lock().in_order(TimePoint()));
  }
  return *throttler_;
}

HoldState RevisionHandle::enqueue(HeldRequest& request, std::size_t bytes, TimePoint now,
                                  WorkerLock::Hold& hold) {
  now = lock().in_order(now);
  const HoldState state = throttler().enqueue(request, bytes, now);
  after_change(hold, now);
  return state;
}

HoldState RevisionHandle::requeue(HeldRequest& request, std::size_t bytes, TimePoint now) {
  WorkerLock::Hold hold = lock().hold();
  now = lock().in_order(now);
  const HoldState state = throttler().requeue(request, bytes, now);
  after_change(hold, now);
  return state;
}

void RevisionHandle::cancel(HeldRequest& request, TimePoint now) {
  WorkerLock::Hold hold = lock().hold();
  now = lock().in_order(now);
  throttler().cancel(request, now);
  after_change(hold, now);
}

void RevisionHandle::record_response(const HeldRequest& request, const LoadReport& report,
                                     TimePoint now) {
  WorkerLock::Hold hold = lock().hold();
  now = lock().in_order(now);
  throttler().record_response(request, report, now);
  after_change(hold, now);
}

/// With the lock held. Returns the replica if it is ejected because of this.
std::optional<PodName> RevisionHandle::release_slot(HeldRequest& request, const GrantEnd& grant,
                                                    TimePoint now) {
  const bool has_failed =
      grant.outcome == PodOutcome::kFailed || grant.outcome == PodOutcome::kUnresponsive;
  std::optional<PodName> replica;
  if (has_failed) replica = request.grant().pod->name();
  if (grant.has_app_responded) throttler().record_response(request, {}, now);
  const bool is_ejected = throttler().release(request, grant.outcome, now);
  if (!is_ejected) replica.reset();
  return replica;
}

/// Without the lock.
void RevisionHandle::note_ejected(const PodName& replica, FailureReason why) {
  sys::log::warning(
      "replica ejected",
      {{"service", revision().text()}, {"replica", replica.text()}, {"why", to_string(why)}});
  if (lock().is_home()) return instruments().replica_ejected(why);
  count_away([why](UncountedRequests& away) { ++away.ejected[static_cast<std::size_t>(why)]; });
}

void RevisionHandle::release(HeldRequest& request, const GrantEnd& grant, TimePoint now) {
  WorkerLock::Hold hold = lock().hold();
  now = lock().in_order(now);
  const std::optional<PodName> ejected = release_slot(request, grant, now);
  after_change(hold, now);
  hold.release();
  if (ejected) note_ejected(*ejected, grant.why);
}

void RevisionHandle::end(HeldRequest& request, const std::optional<GrantEnd>& grant,
                         const RequestEnd& end, std::optional<int> status, TimePoint now) {
  const bool is_home = lock().is_home();
  if (is_home && status) instruments().request_ended(*status, end.total);
  WorkerLock::Hold hold = lock().hold();
  now = lock().in_order(now);
  std::optional<PodName> ejected;
  if (grant) {
    ejected = release_slot(request, *grant, now);
  } else {
    throttler().cancel(request, now);
  }
  served_.add(end);
  if (!is_home && status) uncounted_.ended.push_back({*status, end.total});
  if (!is_home && uncounted_.has_enough()) follow_up_at_home();
  const bool is_last_use = !is_home && !ejected;
  if (is_last_use) --pending_;  // who destroys this takes the lock before
  after_change(hold, now);
  hold.release();
  if (is_last_use) return;
  if (ejected) note_ejected(*ejected, grant->why);
  unpin();
}

void RevisionHandle::unpin() {
  const WorkerLock::Hold hold = lock().hold();
  --pending_;
}

std::size_t RevisionHandle::ready() const {
  const WorkerLock::Hold hold = lock().hold();
  return throttler_ ? throttler_->ready() : 0;
}

int RevisionHandle::retry_after_seconds(TimePoint now) const {
  const WorkerLock::Hold hold = lock().hold();
  return throttler().retry_after_seconds(now);
}

Duration RevisionHandle::max_wait() const {
  const WorkerLock::Hold hold = lock().hold();
  return activator::max_wait(throttler().settings());
}

Duration RevisionHandle::fallback_after() const {
  const WorkerLock::Hold hold = lock().hold();
  return throttler().settings().callers.fallback_after;
}

bool RevisionHandle::has_pending_requests() const {
  const WorkerLock::Hold hold = lock().hold();
  return pending_ > 0;
}

Served RevisionHandle::served(Duration slow) {
  const WorkerLock::Hold hold = lock().hold();
  served_.count_slower_than(slow);
  return served_;
}

void RevisionHandle::update(const cluster::RevisionPtr& revision) {
  const TimePoint now = dependencies_.reactor.now();
  if (revision->is_retired()) {
    close(Error(ErrorKind::kGone, "service " + revision->id.text(),
                "was retired and serves nothing any more", ErrorSide::kDownstream));
    return;
  }
  const RevisionView view = view_since(applied_.get(), *revision);
  std::optional<CallerRules> rules;
  if (view.is_whole) {
    rules = rules_of(*revision);
    forward_settings_.set(revision->settings);
  }
  WorkerLock::Hold hold = lock().hold();
  if (rules) std::swap(rules_, *rules);
  applied_ = revision;
  const bool is_asleep = !throttler_ && view.ready.empty();
  hold.release();
  if (is_asleep) return;
  forget_found();
  has_new_starts_ = true;
  apply(view, now);
}

void RevisionHandle::apply(const RevisionView& view, TimePoint now) {
  WorkerLock::Hold hold = lock().hold();
  now = lock().in_order(now);
  throttler().update(view, now);
  after_change(hold, now);
}

/// A page that cannot be read is replaced by the built-in one: callers that wait are told
/// something.
CallerRules RevisionHandle::rules_of(const cluster::Revision& revision) const {
  const config::CallerSettings& settings = revision.settings.callers;
  CallerRules rules;
  rules.probes = {revision.settings.probe_user_agents, revision.settings.probe_paths};
  const bool is_sticky = settings.session_affinity == config::SessionAffinity::kCookie;
  const bool is_by_cookie =
      settings.split_by == config::SplitBy::kClient && settings.client_header.empty();
  if (is_sticky || is_by_cookie) {
    rules.client_cookie =
        client_cookie_name(revision.service.empty() ? revision.id : revision.service);
  }
  // The setting was checked when it was read.
  rules.static_answers = config::read_static_answers(settings.static_answers)
                             .value_or(std::vector<config::StaticAnswer>());
  rules.has_meanwhile = !settings.waiting_page.empty() || !settings.fallback_service.empty();
  if (!settings.waiting_page.empty() && settings.waiting_page != config::kBuiltInPage) {
    rules.own_page = dependencies_.pages.open(settings.waiting_page);
  }
  return rules;
}

std::string RevisionHandle::waiting_page(bool is_failing) const {
  const WorkerLock::Hold hold = lock().hold();
  if (throttler().settings().callers.waiting_page.empty()) return {};
  const PageFile* const own = rules_.own_page.get();
  return own == nullptr || own->text.empty() ? built_in_page(revision(), is_failing) : own->text;
}

void RevisionHandle::replica_found(const StartingReplica& replica) {
  if (applied_ == nullptr) return;
  const cluster::Replica* listed = applied_->find(replica.name);
  if (listed == nullptr || !is_starting(*listed) || listed->address != replica.address) return;
  const TimePoint now = dependencies_.reactor.now();
  found_[replica.name] = {.address = listed->address, .restarts = listed->restarts, .at = now};
  RevisionView view = view_since(applied_.get(), *applied_);
  view.ready.push_back(view_of(*listed));
  apply(view, now);
}

/// A found replica that became ready, ended or was restarted has to be found anew.
void RevisionHandle::forget_found() {
  std::erase_if(found_, [this](const auto& found) {
    const cluster::Replica* listed = applied_->find(found.first);
    return is_ready(listed) || !takes_requests(listed);
  });
}

/// Has the starting replicas probed while a request waits.
void RevisionHandle::probe_starts(std::int64_t waiting) {
  if (dependencies_.starts == nullptr) return;
  const bool is_wanted = applied_ != nullptr && waiting > 0;
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
  dependencies_.starts->set(revision(), starting);
}

void RevisionHandle::close(Error error) {
  found_.clear();
  const TimePoint now = dependencies_.reactor.now();
  WorkerLock::Hold hold = lock().hold();
  applied_.reset();
  throttler().close(std::move(error));
  after_change(hold, lock().in_order(now));
}

void RevisionHandle::on_expiry() {
  WorkerLock::Hold hold = lock().hold();
  const TimePoint now = lock().in_order(dependencies_.reactor.now());
  throttler().tick(now);
  after_change(hold, now);
}

/// With the lock held; after it, it may be held no more.
void RevisionHandle::after_change(WorkerLock::Hold& hold, TimePoint now) {
  const bool was_quiet = is_quiet_;
  is_quiet_ = throttler().is_quiet();
  if (was_quiet && is_quiet_) return;  // the path of a request that gets a replica at once
  dependencies_.stats.set_waiting(revision(), throttler().waiting(), now);
  if (!lock().is_home()) return follow_up_at_home();
  hold.release();
  follow_up(now);
}

/// With the lock held, by another worker. Several changes until then are followed up once.
void RevisionHandle::follow_up_at_home() {
  if (std::exchange(is_follow_up_posted_, true)) return;
  http::net::post(dependencies_.reactor.io(), lifetime_.bind([this] {
    count_uncounted();
    follow_up(dependencies_.reactor.now());
  }));
}

RevisionHandle::Due RevisionHandle::take_due(TimePoint now) {
  const WorkerLock::Hold hold = lock().hold();
  now = lock().in_order(now);
  if (std::exchange(is_follow_up_posted_, false)) {
    // Time has passed since the change, and what was due meanwhile is no part of next_tick().
    throttler().tick(now);
    dependencies_.stats.set_waiting(revision(), throttler().waiting(), now);
  }
  Due due{.waiting = throttler().waiting()};
  if (throttler().take_scale_from_zero_trigger(now)) {
    due.triggered_for = throttler().triggered_for(now);
  }
  due.ready = throttler().ready();
  due.ejected = throttler().ejected();
  due.probes = throttler().due_probes(now);
  due.next_tick = throttler().next_tick(now);
  return due;
}

void RevisionHandle::follow_up(TimePoint now) {
  Due due = take_due(now);
  if (due.triggered_for) {
    instruments().scale_from_zero_triggers.add();
    dependencies_.notifier.trigger(revision(), due.waiting, *due.triggered_for);
  }
  const bool may_be_reached = due.ready == 0 || due.ejected < due.ready;
  if (may_be_reached) reachability_.note_reached();
  tell_reachability(due.ready, now);
  for (DueProbe& probe : due.probes) {
    dependencies_.prober.probe(
        std::move(probe.address), kProbeTimeout,
        lifetime_.bind([this, name = std::move(probe.replica)](ProbeResult result) {
          on_probe_ended(name, result);
        }));
  }
  probe_starts(due.waiting);
  if (due.next_tick) {
    set_deadline(*due.next_tick);
  } else {
    clear_deadline();
  }
}

/// To the autoscaler, for the users of the cluster.
void RevisionHandle::tell_reachability(std::size_t ready, TimePoint now) {
  const bool is_unreachable = applied_ != nullptr && reachability_.is_unreachable(now);
  const std::uint64_t unreachable = is_unreachable ? ready : 0;
  if (std::exchange(told_unreachable_, unreachable) == unreachable) return;
  const WorkerLock::Hold hold = lock().hold();
  dependencies_.stats.set_unreachable(revision(), unreachable);
}

void RevisionHandle::on_probe_ended(const PodName& replica, ProbeResult result) {
  const TimePoint now = dependencies_.reactor.now();
  note_reachability(replica, result, now);
  WorkerLock::Hold hold = lock().hold();
  const TimePoint in_order = lock().in_order(now);
  const bool is_back = throttler().end_probe(replica, result == ProbeResult::kReady, in_order);
  after_change(hold, in_order);
  hold.release();
  if (!is_back) return;
  sys::log::info("replica healthy again",
                 {{"service", revision().text()}, {"replica", replica.text()}});
}

void RevisionHandle::note_reachability(const PodName& replica, ProbeResult result, TimePoint now) {
  const cluster::Replica* listed = applied_ != nullptr ? applied_->find(replica) : nullptr;
  if (!is_ready(listed)) return;
  WorkerLock::Hold hold = lock().hold();
  const bool are_all_ejected = throttler().ejected() == throttler().ready();
  hold.release();
  reachability_.note_probe(result, are_all_ejected, now);
  if (!reachability_.take_news(now)) return;
  sys::log::warning(
      "no ready replica can be reached at its address; a mesh or a network policy keeps this "
      "activator away",
      {{"service", revision().text()}, {"address", to_string(listed->address)}});
}

/// By another worker: told to the instruments at home, with the next look at them at the latest.
template <class Count>
void RevisionHandle::count_away(Count count) {
  const WorkerLock::Hold hold = lock().hold();
  count(uncounted_);
  if (uncounted_.has_enough()) follow_up_at_home();
}

void RevisionHandle::count_held(Duration waited) {
  if (lock().is_home()) return instruments().request_held(waited);
  count_away([=](UncountedRequests& away) { away.held.push_back(waited); });
}

void RevisionHandle::count_retried(FailureReason why) {
  if (lock().is_home()) return instruments().request_retried(why);
  count_away([=](UncountedRequests& away) { ++away.retried[static_cast<std::size_t>(why)]; });
}

void RevisionHandle::count_cold_start(const ColdStart& start) {
  if (lock().is_home()) return instruments().cold_start_ended(start);
  count_away([&](UncountedRequests& away) { away.cold_starts.push_back(start); });
}

void RevisionHandle::count_uncounted() {
  WorkerLock::Hold hold = lock().hold();
  if (uncounted_.empty()) return;
  const UncountedRequests away = std::exchange(uncounted_, {});
  hold.release();
  away.count_in(instruments());
}

RevisionInstruments& RevisionHandle::instruments() {
  if (!instruments_) {
    instruments_ = std::make_unique<RevisionInstruments>(dependencies_.registry, revision());
  }
  return *instruments_;
}

void RevisionHandle::refresh_gauges() {
  count_uncounted();
  if (!instruments_) return;
  const bool is_unreachable = reachability_.is_unreachable(dependencies_.reactor.now());
  const WorkerLock::Hold hold = lock().hold();
  instruments_->in_flight.set(static_cast<double>(throttler().in_flight()));
  instruments_->queue_depth.set(static_cast<double>(throttler().waiting()));
  instruments_->ejected_replicas.set(static_cast<double>(throttler().ejected()));
  instruments_->unreachable_replicas.set(is_unreachable ? static_cast<double>(throttler().ready())
                                                        : 0);
}

}  // namespace bellows::activator
