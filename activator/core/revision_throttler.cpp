#include "activator/core/revision_throttler.hpp"

#include <algorithm>
#include <utility>

#include "activator/core/rejection_errors.hpp"
#include "base/check.hpp"

namespace bellows::activator {

RevisionThrottler::RevisionThrottler(RevisionId service, Random& random)
    : service_(std::move(service)),
      settings_(config::shared_settings({})),
      queue_(*settings_),
      pods_(random) {}

HoldState RevisionThrottler::enqueue(HeldRequest& request, std::size_t bytes, TimePoint now) {
  CHECK(request.state_ == HoldState::kInactive, "a request is enqueued once at a time");
  request.first_enqueued_ = now;
  request.unresponsive_replica_ = PodName();
  if (reject_or_grant(request, now)) return request.state_;
  drain_rate_.advance(!queue_.empty(), now);
  if (const auto bound = queue_.enqueue(request, bytes)) {
    request.reject(queue_full_error(service_, *bound, queue_));
  } else {
    set_queued(request, now);
  }
  return request.state_;
}

HoldState RevisionThrottler::requeue(HeldRequest& request, std::size_t bytes, TimePoint now) {
  CHECK(request.state_ == HoldState::kInactive, "its slot was released before");
  if (reject_or_grant(request, now)) return request.state_;
  drain_rate_.advance(!queue_.empty(), now);
  queue_.requeue(request, bytes, now);
  set_queued(request, now);
  return request.state_;
}

bool RevisionThrottler::reject_or_grant(HeldRequest& request, TimePoint now) {
  if (std::optional<Error> reason = rejection_reason()) {
    request.reject(std::move(*reason));
    return true;
  }
  if (!queue_.empty()) return false;
  fill_pods(now);
  return try_grant(request, now);
}

/// While slots seem to be taken, and nothing from here is at any replica, one request waits at a
/// replica: no response would tell that others have left a slot, and what a response told of them
/// before counts for kReportHalfLife. So each activator has its turn at the queue-proxy.
bool RevisionThrottler::try_grant(HeldRequest& request, TimePoint now) {
  if (PodTracker* const pod = pick_for(request, now)) {
    grant(request, *pod, wait_of(request), now);
    return true;
  }
  blocked_at_ = now;
  const bool may_queue = pods_.shares_slots() && in_flight_ == 0;
  PodTracker* const pod =
      may_queue ? pods_.pick_to_queue(request.unresponsive_replica_, now) : nullptr;
  if (pod == nullptr) return false;
  grant(request, *pod, proxy::SlotWait::kBrief, now);
  return true;
}

void RevisionThrottler::set_queued(HeldRequest& request, TimePoint now) {
  request.throttler_ = this;
  request.state_ = HoldState::kQueued;
  if (pods_.ready() == 0 && !held_since_) held_since_ = now;
  // The wait for other replicas begins. Its end is for tick(), which grants what waits then.
  if (!fill_.next_change()) fill_pods(now);
}

void RevisionThrottler::cancel(HeldRequest& request, TimePoint now) {
  if (request.state_ == HoldState::kGranted) release(request, PodOutcome::kUnknown, now);
  if (request.state_ != HoldState::kQueued) return;
  queue_.remove(request);
  request.state_ = HoldState::kInactive;
  forget_cold_start_if_queue_is_empty();
}

PodTracker* RevisionThrottler::pick_for(const HeldRequest& request, TimePoint now) {
  const PodName& preferred = request.preferred_replica_;
  if (!preferred.empty() && preferred != request.unresponsive_replica_) {
    PodTracker* const pod = pods_.pick_named(preferred, now);
    if (pod != nullptr) return pod;
  }
  return pods_.pick(request.unresponsive_replica_, now);
}

void RevisionThrottler::grant(HeldRequest& request, PodTracker& pod, proxy::SlotWait wait,
                              TimePoint now) {
  const std::uint32_t acquired = pod.acquire(now);
  ++in_flight_;
  request.grant_ = {.pod = &pod,
                    .replica = &pod.granted(),
                    .acquired = acquired,
                    .expected_report = pod.expected_report(pods_.uses_reported_load()),
                    .at = now,
                    .load = pod.load(now),
                    .wait = wait,
                    .held_since = std::exchange(held_since_, {})};
  request.state_ = HoldState::kGranted;
}

/// Returns how long the request may wait for a slot at the replica. While slots seem free, a
/// replica whose slots others have taken rejects the request, and the next one is tried. A request
/// that was queued here found all slots taken: it waits at a replica, so that it has its turn among
/// the requests of others, but only briefly, because another replica may have a slot earlier.
proxy::SlotWait RevisionThrottler::wait_of(const HeldRequest& request) const {
  if (!pods_.shares_slots()) return proxy::SlotWait::kUnbounded;
  return request.state_ == HoldState::kQueued ? proxy::SlotWait::kBrief : proxy::SlotWait::kNone;
}

void RevisionThrottler::dispatch(TimePoint now) {
  fill_pods(now);
  while (!queue_.empty()) {
    HeldRequest& request = queue_.first();
    if (!try_grant(request, now)) return;
    queue_.grant_first();
  }
  fill_pods(now);
}

/// Sets how many requests each replica may get now, if it has no limit of its own.
void RevisionThrottler::fill_pods(TimePoint now) {
  if (settings_->container_concurrency > 0) return;
  pods_.fill_to(fill_.slots(!queue_.empty() && pods_.ready() > 0, now));
}

void RevisionThrottler::record_response(const HeldRequest& request, const LoadReport& report,
                                        TimePoint now) {
  CHECK(request.state_ == HoldState::kGranted, "only a granted request gets a response");
  PodTracker& pod = *request.grant_.pod;
  if (report.is_of_app) pod.record_response();
  if (!report.in_flight || !pods_.uses_reported_load()) return;
  pod.record_reported_load(*report.in_flight, now);
  dispatch(now);
}

bool RevisionThrottler::release(HeldRequest& request, PodOutcome outcome, TimePoint now) {
  CHECK(request.state_ == HoldState::kGranted, "only a granted request has a slot");
  PodTracker& pod = *request.grant_.pod;
  if (outcome == PodOutcome::kUnresponsive) {
    const bool is_again = request.unresponsive_replica_ == pod.name();
    if (is_again || pods_.is_last_healthy(pod)) outcome = PodOutcome::kUnknown;
    request.unresponsive_replica_ = pod.name();
  }
  fill_.record(request.grant_.load, now - request.grant_.at, outcome, now);
  const bool was_ejected = pods_.release(pod, outcome, request.grant_.acquired, now);
  --in_flight_;
  request.state_ = HoldState::kInactive;
  drain_rate_.advance(!queue_.empty(), now);
  if (!queue_.empty()) drain_rate_.note_freed();
  dispatch(now);
  return was_ejected;
}

void RevisionThrottler::update(const RevisionView& view, TimePoint now) {
  closed_.reset();
  if (*settings_ != view.settings) settings_ = config::shared_settings(view.settings);
  failure_message_ = view.failure_message;
  order_failure_ = view.order_failure;
  not_ready_ = view.not_ready;
  queue_.set_limits(*settings_);
  pods_.update(view);
  fill_.update(*settings_, view.requested, static_cast<PodCount>(pods_.ready()),
               view.learned_target);
  if (const std::optional<Error> reason = rejection_reason()) reject_all(*reason);
  dispatch(now);
}

void RevisionThrottler::close(Error error) {
  pods_.close();
  closed_ = std::move(error);
  reject_all(*closed_);
}

std::vector<DueProbe> RevisionThrottler::due_probes(TimePoint now) {
  return pods_.due_probes(probes_eagerly(), now);
}

bool RevisionThrottler::end_probe(const PodName& replica, bool has_succeeded, TimePoint now) {
  const bool is_back = pods_.end_probe(replica, has_succeeded, now);
  dispatch(now);
  return is_back;
}

void RevisionThrottler::tick(TimePoint now) {
  queue_.expire(now);
  forget_cold_start_if_queue_is_empty();
  dispatch(now);
}

std::optional<TimePoint> RevisionThrottler::next_tick() const {
  if (is_quiet()) return std::nullopt;
  TimePoint next = TimePoint::max();
  const auto add = [&next](std::optional<TimePoint> at) { next = at ? std::min(next, *at) : next; };
  add(queue_.next_expiry());
  add(pods_.next_probe(probes_eagerly()));
  if (!queue_.empty()) {
    add(scale_from_zero_.next_trigger());
    add(pods_.next_report_decay(blocked_at_));
    add(fill_.next_change());
  }
  return next == TimePoint::max() ? std::nullopt : std::optional(next);
}

bool RevisionThrottler::take_scale_from_zero_trigger(TimePoint now) {
  return scale_from_zero_.take_trigger(waiting(), pods_.ready() > 0, now);
}

int RevisionThrottler::retry_after_seconds(TimePoint now) const {
  return drain_rate_.retry_after_seconds(waiting(), now);
}

void RevisionThrottler::reject_all(const Error& error) {
  while (!queue_.empty()) queue_.first().reject(error);
  forget_cold_start_if_queue_is_empty();
}

void RevisionThrottler::forget_cold_start_if_queue_is_empty() {
  if (queue_.empty()) held_since_.reset();
}

std::optional<Error> RevisionThrottler::rejection_reason() const {
  if (closed_) return closed_;
  if (pods_.ready() > 0) return std::nullopt;
  const std::string culprit = "service " + service_.text();
  if (!order_failure_.empty()) {
    return Error(ErrorKind::kUnavailable, culprit, order_failure_, ErrorSide::kUpstream);
  }
  if (failure_message_.empty()) return std::nullopt;
  return Error(ErrorKind::kUnavailable, culprit, failure_message_);
}

Error RevisionThrottler::expiry_error(const HeldRequest& request) const {
  if (request.is_requeued()) return requeue_timeout_error(service_, *settings_);
  return max_wait_error(service_, *settings_, pods_, not_ready_);
}

Error RevisionThrottler::requeue_expiry_error() const {
  return requeue_age_error(service_, *settings_);
}

}  // namespace bellows::activator
