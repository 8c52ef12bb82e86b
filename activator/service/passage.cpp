#include "activator/service/passage.hpp"

#include "proxy/core/error_response.hpp"

namespace bellows::activator {

Passage::Passage(RevisionLine& line, proxy::Exchange& exchange,
                 const ColdStartObserver& on_cold_start)
    : line_(line), exchange_(exchange), on_cold_start_(on_cold_start) {
  line_.passage_began();
}

Passage::~Passage() {
  const TimePoint at = now();
  line_.leave(*this, at);
  line_.instruments().request_ended(exchange_.outcome().status, at - exchange_.arrived());
  line_.passage_ended();
}

void Passage::keep_notes() {
  keeps_notes_ = true;
  exchange_.make_notes().service = line_.throttler().revision().text();
}

void Passage::enter() {
  waits_since_ = exchange_.arrived();
  note_entered(line_.enter(*this, exchange_.held_bytes(), waits_since_));
}

void Passage::enter_again() {
  line_.instruments().request_retried(last_failure_);
  waits_since_ = now();
  note_entered(line_.enter_again(*this, exchange_.held_bytes(), waits_since_));
}

void Passage::note_entered(HoldState state) {
  if (state == HoldState::kWaiting) was_held_ = true;
}

void Passage::on_settled() {
  exchange_.waiter().wake();
}

http::Task<void> Passage::wait() {
  while (state() == HoldState::kWaiting) {
    // Also before the first wait: who left before its request was read has been told of already.
    if (exchange_.hung_up() || exchange_.is_stopping()) {
      line_.leave(*this, now());
    } else {
      co_await exchange_.waiter().wait();
    }
  }
  const Duration waited = now() - waits_since_;
  exchange_.note_queued(exchange_.outcome().queued + waited);
  if (state() == HoldState::kGranted) line_.instruments().request_held(waited);
}

void Passage::note_granted() {
  if (grant().held_since) held_since_ = grant().held_since;
  if (keeps_notes_) {
    proxy::AccessNotes& notes = exchange_.make_notes();
    notes.replica = grant().pod->name().text();
    notes.upstream = to_string(grant().pod->address());
  }
  forwarded_ = was_held_ ? now() : exchange_.arrived();
}

http::Task<Result<void>> Passage::forward(proxy::UpstreamPool& pool) {
  note_granted();
  const int tries_before = exchange_.outcome().upstream_tries;
  Result<void> passed = co_await exchange_.forward(pool, grant().pod->address(), forward_options());
  if (exchange_.outcome().upstream_tries > tries_before + 1) {
    line_.instruments().request_retried(FailureReason::kStaleConnection);
  }
  give_back(passed);
  co_return passed;
}

proxy::ForwardOptions Passage::forward_options() {
  const config::RevisionSettings& settings = line_.throttler().settings();
  proxy::ForwardOptions options;
  options.limits = {.total = settings.request_timeout,
                    .response_start = settings.response_start_timeout,
                    .idle = settings.idle_timeout};
  options.downstream = proxy::Peer::kOutside;
  options.upstream = proxy::Peer::kInside;
  options.upstream_name = grant().pod->title();
  options.hook = this;
  return options;
}

void Passage::on_response_head(const http::ResponseHead& head, std::string& extra_lines) {
  has_answer_ = true;
  const ReplicaWord word = replica_word(head);
  app_failure_ = word.app_failure;
  line_.answered(*this, word, now());
  if (word.queue_ms > 0) {
    exchange_.note_queued(exchange_.outcome().queued + std::chrono::milliseconds(word.queue_ms));
  }
  if (tells_queue_time()) {
    extra_lines += "X-Bellows-Queue-Ms: ";
    extra_lines += std::to_string(to_milliseconds(exchange_.outcome().queued));
    extra_lines += "\r\n";
  }
  if (held_since_) report_cold_start();
}

void Passage::report_cold_start() {
  const ReplicaView& replica = grant().pod->view();
  const ColdStart start{.revision = line_.throttler().revision(),
                        .replica = replica.name,
                        .held = *held_since_,
                        .ordered = replica.ordered,
                        .process_started = replica.process_started,
                        .ready = replica.ready,
                        .forwarded = forwarded_,
                        .answered = now()};
  held_since_.reset();
  line_.instruments().cold_started(start);
  if (on_cold_start_) on_cold_start_(start);
}

/// The slot goes back, with what was learned about the replica.
void Passage::give_back(const Result<void>& passed) {
  PodOutcome outcome = PodOutcome::kAnswered;
  if (app_failure_) {
    last_failure_ = *app_failure_;
    outcome = outcome_of_told(*app_failure_);
  } else if (!passed) {
    last_failure_ = failure_reason(passed.error());
    if (!has_answer_) {
      outcome = outcome_of(passed.error(), exchange_.outcome().was_turned_away);
    }
  }
  line_.release(*this, outcome, last_failure_, now());
}

/// Whether the answer says how long the request waited.
bool Passage::tells_queue_time() const {
  switch (line_.throttler().settings().queue_time_header) {
    case config::QueueTimeHeader::kAlways:
      return true;
    case config::QueueTimeHeader::kWaited:
      if (exchange_.outcome().queued > Duration::zero()) return true;
      break;
    case config::QueueTimeHeader::kAsked:
      break;
  }
  const http::Fields& asked = exchange_.head().fields;
  return asked.has(http::FieldId::kInternal) && asked.find("x-bellows-queue-ms");
}

proxy::Answer Passage::refusal_answer() const {
  return proxy::answer_for(refusal(), line_.throttler().retry_after_seconds(now()));
}

}  // namespace bellows::activator
