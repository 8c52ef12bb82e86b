#include "activator/service/pending_request.hpp"

#include "activator/core/client_shares.hpp"
#include "activator/core/hold_queue.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/core/local_reply.hpp"

namespace bellows::activator {

PendingRequest::PendingRequest(RevisionHandle& handle, proxy::Exchange& exchange,
                               SettledRequests* settled, const ColdStartObserver& on_cold_start)
    : handle_(handle),
      exchange_(exchange),
      settled_(settled),
      on_cold_start_(on_cold_start),
      has_client_cookie_(!handle.rules().client_cookie.empty()) {
  handle_.pin();
  if (has_client_cookie_) read_cookie();
}

PendingRequest::~PendingRequest() {
  const TimePoint at = ended_ ? ended_->at : now();
  const proxy::Outcome& outcome = exchange_.outcome();
  const Duration total = at - exchange_.arrived();
  RequestEnd end{.status = own_status_.value_or(outcome.status), .total = total};
  end.is_incomplete = outcome.aborted_by == proxy::AbortedBy::kUpstream;
  end.has_caller = end.status != 0 && outcome.aborted_by != proxy::AbortedBy::kDownstream;
  end.is_tunnel = outcome.was_upgraded;
  if (settled_ != nullptr && was_held_) forget_waiter();
  handle_.end(*this, ended_ ? std::optional(ended_->grant) : std::nullopt, end,
              is_handed_over_ ? std::nullopt : std::optional(outcome.status), at);
}

/// The request is cancelled first, so that no worker wakes the waiter after this.
void PendingRequest::forget_waiter() {
  if (look() == HoldState::kQueued) cancel();
  const WorkerLock::Hold hold(handle_.lock());
  settled_->forget(exchange_.waiter());
}

void PendingRequest::keep_notes() {
  keeps_notes_ = true;
  proxy::AccessNotes& notes = exchange_.make_notes();
  notes.service = handle_.service().text();
  notes.revision = handle_.revision().text();
}

void PendingRequest::enqueue(WorkerLock::Hold& hold) {
  enqueued_ = exchange_.arrived();
  note_state(handle_.enqueue(*this, exchange_.held_bytes(), enqueued_, hold));
}

http::Task<void> PendingRequest::wait_before_last_run() {
  constexpr Duration kPause = std::chrono::milliseconds(100);
  if (!exchange_.outcome().retries.is_last_run()) co_return;
  exchange_.waiter().set_deadline(now() + kPause);
  while (!exchange_.waiter().is_overdue() && !exchange_.has_hung_up() && !exchange_.is_stopping()) {
    co_await exchange_.waiter().wait();
  }
  exchange_.waiter().clear_deadline();
}

void PendingRequest::requeue() {
  handle_.count_retried(last_failure_);
  enqueued_ = now();
  note_state(handle_.requeue(*this, exchange_.held_bytes(), enqueued_));
}

void PendingRequest::note_state(HoldState state) {
  state_ = state;
  if (state == HoldState::kQueued) was_held_ = true;
}

/// Returns the state of a queued request, which any worker may settle.
HoldState PendingRequest::look() {
  const WorkerLock::Hold hold(handle_.lock());
  state_ = HeldRequest::state();
  return state_;
}

void PendingRequest::cancel() {
  handle_.cancel(*this, now());
  state_ = HeldRequest::state();
}

void PendingRequest::on_settled() {
  if (settled_ == nullptr) return exchange_.waiter().wake();
  settled_->wake(exchange_.waiter());
}

http::Task<void> PendingRequest::wait() {
  const TimePoint call_deadline = exchange_.call_deadline();
  exchange_.pack();
  exchange_.waiter().set_deadline(call_deadline);
  while (look() == HoldState::kQueued) {
    // This is checked before the first wait too, because the notification of a caller that
    // disconnected earlier is over.
    if (exchange_.has_hung_up() || exchange_.is_stopping() || now() >= call_deadline) {
      cancel();
    } else {
      co_await exchange_.waiter().wait();
    }
  }
  exchange_.waiter().clear_deadline();
  const Duration waited = now() - enqueued_;
  exchange_.note_queued(exchange_.outcome().queued + waited);
  if (state() == HoldState::kGranted) handle_.count_held(waited);
}

http::Task<void> PendingRequest::wait_for_first_replica(TimePoint until) {
  exchange_.waiter().set_deadline(until);
  while (look() == HoldState::kQueued && handle_.ready() == 0 && !exchange_.waiter().is_overdue() &&
         !exchange_.has_hung_up() && !exchange_.is_stopping()) {
    co_await exchange_.waiter().wait();
  }
  exchange_.waiter().clear_deadline();
}

/// A revision that is starting has not failed; one that cannot start has.
void PendingRequest::leave_queue() {
  own_status_ = state() == HoldState::kRejected ? rejection_reply().status : 0;
  cancel();
}

void PendingRequest::hand_over() {
  is_handed_over_ = true;
  leave_queue();
}

/// Reads the replica that the client prefers; a value that Bellows did not write has no effect.
void PendingRequest::read_cookie() {
  is_https_ = exchange_.is_https();
  const auto served = served_by(exchange_.head().fields, handle_.rules().client_cookie);
  if (!served || served->revision != handle_.revision().text()) return;
  has_cookie_ = true;
  const config::CallerSettings& settings = handle_.throttler().settings().callers;
  if (settings.session_affinity == config::SessionAffinity::kCookie) {
    prefer(PodName(std::string(served->replica)));
  }
}

/// Adds the cookie. A client keeps the cookie of a replica that was full, and returns there; the
/// cookie of a removed replica is replaced.
void PendingRequest::add_cookie(std::string& extra_lines) {
  const WorkerLock::Hold hold(handle_.lock());
  if (handle_.rules().client_cookie.empty()) return;  // since the request arrived
  const config::CallerSettings& settings = handle_.throttler().settings().callers;
  const bool is_sticky = settings.session_affinity == config::SessionAffinity::kCookie;
  if (has_cookie_ && (!is_sticky || (!preferred().empty() && handle_.has_replica(preferred())))) {
    return;
  }
  extra_lines += set_cookie_line(handle_.rules().client_cookie, handle_.revision(),
                                 is_sticky ? replica().name.text() : std::string_view(), is_https_);
}

void PendingRequest::note_granted() {
  if (grant().held_since) held_since_ = grant().held_since;
  if (keeps_notes_) {
    proxy::AccessNotes& notes = exchange_.make_notes();
    notes.replica = replica().name.text();
    notes.upstream = to_string(replica().address);
  }
  forwarded_ = was_held_ ? now() : exchange_.arrived();
}

http::Task<Result<void>> PendingRequest::forward(proxy::UpstreamPool& pool) {
  const proxy::ForwardOptions options = forward_options();
  note_granted();
  const int tries_before = exchange_.outcome().upstream_tries;
  Result<void> forwarded = co_await exchange_.forward(pool, replica().address, options);
  if (exchange_.outcome().upstream_tries > tries_before + 1) {
    handle_.count_retried(FailureReason::kStaleConnection);
  }
  release(forwarded);
  co_return forwarded;
}

bool PendingRequest::may_try_again(const Error& error) {
  const bool is_first = !first_failed_;
  if (is_first) first_failed_ = now();
  return is_first || (is_of_replica(error) && now() < *first_failed_ + handle_.max_wait());
}

proxy::ForwardOptions PendingRequest::forward_options() {
  proxy::ForwardOptions options;
  options.limits = handle_.forward_settings().limits();
  options.limits.total = exchange_.time_limit(options.limits.total);
  options.downstream = proxy::Peer::kOutside;
  options.upstream = proxy::Peer::kInside;
  options.upstream_name = grant().replica->title;
  // The queue-proxy knows the version of its app.
  options.version =
      exchange_.is_http2() ? proxy::UpstreamVersion::kHttp2 : proxy::UpstreamVersion::kHttp1;
  options.hook = this;
  if (exchange_.is_whole()) options.extra_request_lines = proxy::slot_wait_line(grant().wait);
  return options;
}

void PendingRequest::on_response_head(const http::ResponseHead& head, std::string& extra_lines) {
  has_response_ = true;
  const LoadReport report = read_load_report(head);
  app_failure_ = report.app_failure;
  if (!report.is_of_app) exchange_.log_inner_reply(head);
  record(report, now());
  if (report.queue_ms > 0) {
    exchange_.note_queued(exchange_.outcome().queued + std::chrono::milliseconds(report.queue_ms));
  }
  if (reports_queue_time()) {
    proxy::append_hop_headers({.queue_ms = to_milliseconds(exchange_.outcome().queued)},
                              extra_lines);
  }
  if (has_client_cookie_) add_cookie(extra_lines);
  if (held_since_) report_cold_start();
}

/// Records the report at once only if it changes anything, because that takes the lock.
void PendingRequest::record(const LoadReport& report, TimePoint at) {
  const bool is_news = !grant().is_expected(report, at);
  has_unrecorded_response_ = report.is_of_app && !is_news;
  if (is_news) handle_.record_response(*this, report, at);
}

void PendingRequest::report_cold_start() {
  const auto agent = exchange_.head().fields.find(http::FieldId::kUserAgent);
  const ColdStart start{.service = handle_.service(),
                        .revision = handle_.revision(),
                        .replica = replica().name,
                        .held = *held_since_,
                        .ordered = replica().ordered,
                        .process_started = replica().process_started,
                        .ready = replica().ready,
                        .forwarded = forwarded_,
                        .answered = now(),
                        .trace_id = exchange_.trace_id(),
                        .user_agent = std::string(agent.value_or(""))};
  held_since_.reset();
  if (keeps_notes_) note_parts(start);
  handle_.count_cold_start(start);
  if (on_cold_start_) on_cold_start_(start);
}

void PendingRequest::note_parts(const ColdStart& start) {
  for (const ColdStartPart& part : parts_of(start)) {
    exchange_.make_notes().parts.push_back({part.attribute, part.since_held});
  }
}

/// The outcome for the replica is reported with the release of its slot.
void PendingRequest::release(const Result<void>& forwarded) {
  PodOutcome outcome = PodOutcome::kResponded;
  if (app_failure_) {
    last_failure_ = *app_failure_;
    outcome = outcome_of_app_failure(*app_failure_);
  } else if (!forwarded) {
    last_failure_ = failure_reason(forwarded.error());
    if (!has_response_) {
      outcome = outcome_of(forwarded.error(), exchange_.outcome().is_retryable_rejection);
    }
  }
  const TimePoint at = now();
  if (outcome == PodOutcome::kFull) {
    exchange_.note_queued(exchange_.outcome().queued + (at - grant().at));
  }
  const GrantEnd end{.outcome = outcome,
                     .why = last_failure_,
                     .has_app_responded = has_unrecorded_response_ && grant().is_new(at)};
  if (forwarded) {
    ended_ = {.at = at, .grant = end};
    return;
  }
  handle_.release(*this, end, at);
  state_ = HoldState::kInactive;
}

/// Returns true if the response gets X-Bellows-Queue-Ms.
bool PendingRequest::reports_queue_time() const {
  switch (handle_.forward_settings().queue_time_header()) {
    case config::QueueTimeHeader::kAlways:
      return true;
    case config::QueueTimeHeader::kWaited:
      if (exchange_.outcome().queued > Duration::zero()) return true;
      break;
    case config::QueueTimeHeader::kAsked:
      break;
  }
  return proxy::asks_for_queue_time(exchange_.head().fields);
}

proxy::LocalReply PendingRequest::rejection_reply() const {
  return proxy::local_reply_for(rejection(), handle_.retry_after_seconds(now()));
}

}  // namespace bellows::activator
