#include "activator/service/revision_handle.hpp"

#include <boost/asio/post.hpp>
#include <string>
#include <utility>

#include "activator/core/meanwhile.hpp"
#include "base/sys/log.hpp"
#include "config/waiting_page.hpp"

namespace bellows::activator {

RevisionHandle::RevisionHandle(RevisionDependencies& dependencies,
                               const cluster::Revision& revision, HomeDuties& home)
    : dependencies_(dependencies),
      revision_(revision.id),
      service_(revision.service_id()),
      home_(home) {}

RevisionThrottler& RevisionHandle::throttler() const {
  if (!throttler_) {
    throttler_ = std::make_unique<RevisionThrottler>(service_, dependencies_.random);
    // The view does not depend on the time without a request: starting replicas are probed only
    // while a request waits.
    if (listed_) {
      throttler_->update(FoundReplicas().view_since(nullptr, *listed_, dependencies_.self),
                         lock().in_order(TimePoint()));
    }
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
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  const HoldState state = throttler().requeue(request, bytes, now);
  after_change(hold, now);
  return state;
}

void RevisionHandle::cancel(HeldRequest& request, TimePoint now) {
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  throttler().cancel(request, now);
  after_change(hold, now);
}

void RevisionHandle::record_response(const HeldRequest& request, const LoadReport& report,
                                     TimePoint now) {
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  throttler().record_response(request, report, now);
  after_change(hold, now);
}

/// Returns the replica if it is ejected because of this.
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

void RevisionHandle::note_ejected(const PodName& replica, FailureReason why) {
  sys::log::warning("replica ejected", {{"service", service().text()},
                                        {"revision", revision().text()},
                                        {"replica", replica.text()},
                                        {"why", to_string(why)}});
  if (lock().is_home()) return home_.instruments().replica_ejected(why);
  count_away([why](UncountedRequests& away) { ++away.ejected[static_cast<std::size_t>(why)]; });
}

void RevisionHandle::release(HeldRequest& request, const GrantEnd& grant, TimePoint now) {
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  const std::optional<PodName> ejected = release_slot(request, grant, now);
  after_change(hold, now);
  if (ejected) note_ejected(*ejected, grant.why);
}

void RevisionHandle::end(HeldRequest& request, const std::optional<GrantEnd>& grant,
                         const RequestEnd& end, std::optional<int> status, TimePoint now) {
  const bool is_home = lock().is_home();
  if (is_home && status) home_.instruments().request_ended(*status, end.total);
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  std::optional<PodName> ejected;
  if (grant) {
    ejected = release_slot(request, *grant, now);
  } else {
    throttler().cancel(request, now);
  }
  served_.add(end);
  if (!recent_) recent_ = std::make_unique<RecentRequests>();
  recent_->add(end, now);
  if (!is_home && status) uncounted_.ended.push_back({*status, end.total});
  if (!is_home && uncounted_.has_enough()) follow_up_at_home();
  const bool is_last_use = !is_home && !ejected;
  if (is_last_use) --pending_;  // who destroys this takes the lock before
  after_change(hold, now);
  if (is_last_use) return;
  if (ejected) note_ejected(*ejected, grant->why);
  unpin();
}

void RevisionHandle::unpin() {
  const WorkerLock::Hold hold(lock());
  --pending_;
}

std::size_t RevisionHandle::ready() const {
  const WorkerLock::Hold hold(lock());
  return throttler_ ? throttler_->ready() : 0;
}

int RevisionHandle::retry_after_seconds(TimePoint now) const {
  const WorkerLock::Hold hold(lock());
  return throttler().retry_after_seconds(now);
}

Duration RevisionHandle::max_wait() const {
  const WorkerLock::Hold hold(lock());
  return activator::max_wait(throttler().settings());
}

Duration RevisionHandle::fallback_after() const {
  const WorkerLock::Hold hold(lock());
  return throttler().settings().callers.fallback_after;
}

bool RevisionHandle::has_pending_requests() const {
  const WorkerLock::Hold hold(lock());
  return pending_ > 0;
}

Served RevisionHandle::served(Duration slow) {
  const WorkerLock::Hold hold(lock());
  served_.count_slower_than(slow);
  return served_;
}

void RevisionHandle::add_recent(RecentSum& sum, TimePoint now) const {
  const WorkerLock::Hold hold(lock());
  if (recent_) recent_->add_to(sum, now);
}

std::string RevisionHandle::waiting_page(bool is_failing) const {
  const WorkerLock::Hold hold(lock());
  if (throttler().settings().callers.waiting_page.empty()) return {};
  const PageFile* const own = rules_.own_page.get();
  return own == nullptr || own->text.empty()
             ? built_in_page(service(), is_failing, last_start_.time())
             : own->text;
}

bool RevisionHandle::misses_page() const {
  const WorkerLock::Hold hold(lock());
  return rules_.own_page != nullptr && rules_.own_page->text.empty();
}

bool RevisionHandle::list(const cluster::RevisionPtr& revision, std::optional<CallerRules> rules,
                          bool has_ready) {
  if (rules) forward_settings_.set(revision->settings);
  const WorkerLock::Hold hold(lock());
  if (rules) std::swap(rules_, *rules);  // the old ones are destroyed without the lock
  listed_ = revision;
  return throttler_ != nullptr || has_ready;
}

void RevisionHandle::apply(const RevisionView& view, TimePoint now) {
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  for (const ReplicaView& replica : view.ready) last_start_.note(replica);
  throttler().update(view, now);
  after_change(hold, now);
}

void RevisionHandle::tick(TimePoint now) {
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  throttler().tick(now);
  after_change(hold, now);
}

void RevisionHandle::close(Error error, TimePoint now) {
  WorkerLock::Hold hold(lock());
  listed_.reset();
  throttler().close(std::move(error));
  after_change(hold, lock().in_order(now));
}

bool RevisionHandle::end_probe(const PodName& replica, ProbeResult result, TimePoint now) {
  WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  const bool is_back = throttler().end_probe(replica, result == ProbeResult::kReady, now);
  after_change(hold, now);
  return is_back;
}

bool RevisionHandle::are_all_ejected() const {
  const WorkerLock::Hold hold(lock());
  return throttler().ejected() == throttler().ready();
}

RevisionGauges RevisionHandle::gauges() const {
  const WorkerLock::Hold hold(lock());
  return {.in_flight = throttler().in_flight(),
          .waiting = throttler().waiting(),
          .ejected = throttler().ejected(),
          .ready = throttler().ready()};
}

/// Returns true if the home thread, which is this one, follows up.
bool RevisionHandle::note_change(TimePoint now) {
  const bool was_quiet = is_quiet_;
  is_quiet_ = throttler().is_quiet();
  if (was_quiet && is_quiet_) return false;  // the path of a request that gets a replica at once
  dependencies_.stats.set_waiting(revision(), throttler().waiting(), now);
  if (lock().is_home()) return true;
  follow_up_at_home();
  return false;
}

/// The analysis does not follow a Hold that another function made.
void RevisionHandle::after_change(WorkerLock::Hold& hold, TimePoint now) {
  const bool is_due = note_change(now);
  hold.release();
  if (is_due) home_.follow_up(now);
}

/// Called by another worker. Several changes until then are followed up once.
void RevisionHandle::follow_up_at_home() {
  if (std::exchange(is_follow_up_posted_, true)) return;
  http::net::post(dependencies_.reactor.io(), lifetime_.bind([this] {
    count_uncounted();
    home_.follow_up(dependencies_.reactor.now());
  }));
}

DueWork RevisionHandle::take_due(TimePoint now) {
  const WorkerLock::Hold hold(lock());
  now = lock().in_order(now);
  // What is due does not wait for the timer, which is coarse.
  std::optional<TimePoint> next = throttler().next_tick();
  const bool is_due = next && *next <= now;
  if (is_due) throttler().tick(now);
  if (std::exchange(is_follow_up_posted_, false) || is_due) {
    dependencies_.stats.set_waiting(revision(), throttler().waiting(), now);
  }
  DueWork due{.waiting = throttler().waiting()};
  if (throttler().take_scale_from_zero_trigger(now)) {
    due.triggered_for = throttler().triggered_for(now);
  }
  due.ready = throttler().ready();
  due.ejected = throttler().ejected();
  due.probes = throttler().due_probes(now);
  const bool is_changed = is_due || due.triggered_for || !due.probes.empty();
  due.next_tick = is_changed ? throttler().next_tick() : next;
  return due;
}

/// Called by another worker. The instruments get it at home, at the latest when they are read.
template <class Count>
void RevisionHandle::count_away(Count count) {
  const WorkerLock::Hold hold(lock());
  count(uncounted_);
  if (uncounted_.has_enough()) follow_up_at_home();
}

void RevisionHandle::count_held(Duration waited) {
  if (lock().is_home()) return home_.instruments().request_held(waited);
  count_away([=](UncountedRequests& away) { away.held.push_back(waited); });
}

void RevisionHandle::count_retried(FailureReason why) {
  if (lock().is_home()) return home_.instruments().request_retried(why);
  count_away([=](UncountedRequests& away) { ++away.retried[static_cast<std::size_t>(why)]; });
}

void RevisionHandle::count_cold_start(const ColdStart& start) {
  if (lock().is_home()) return home_.instruments().cold_start_ended(start);
  count_away([&](UncountedRequests& away) { away.cold_starts.push_back(start); });
}

void RevisionHandle::count_uncounted() {
  WorkerLock::Hold hold(lock());
  if (uncounted_.empty()) return;
  const UncountedRequests away = std::exchange(uncounted_, {});
  hold.release();
  away.count_in(home_.instruments());
}

}  // namespace bellows::activator
