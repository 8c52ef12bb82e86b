#include "activator/service/passage.hpp"

#include "proxy/core/error_response.hpp"

namespace bellows::activator {

Passage::Passage(RevisionLine& line, proxy::Exchange& exchange,
                 const ColdStartObserver& on_cold_start)
    : line_(line), exchange_(exchange), on_cold_start_(on_cold_start) {}

Passage::~Passage() {
  const TimePoint at = now();
  line_.leave(*this, at);
  line_.instruments().request_ended(exchange_.outcome().status, at - exchange_.arrived());
}

void Passage::enter() {
  note_entered(line_.enter(*this, exchange_.held_bytes(), exchange_.arrived()));
}

void Passage::enter_again() {
  line_.instruments().retries.add();
  note_entered(line_.enter_again(*this, exchange_.held_bytes(), now()));
}

void Passage::note_entered(HoldState state) {
  if (state == HoldState::kWaiting) was_held_ = true;
}

void Passage::on_settled() {
  exchange_.waiter().wake();
}

http::Flow<void> Passage::wait() {
  while (state() == HoldState::kWaiting) {
    co_await exchange_.waiter().wait();
    if (exchange_.hung_up() || exchange_.is_stopping()) line_.leave(*this, now());
  }
}

void Passage::note_granted() {
  if (grant().held_since) held_since_ = grant().held_since;
  forwarded_ = was_held_ ? now() : exchange_.arrived();
  if (!was_held_) return;
  exchange_.note_queued(forwarded_ - entered());
  line_.instruments().request_held(forwarded_ - entered());
}

http::Flow<Result<void>> Passage::forward(proxy::UpstreamPool& pool) {
  note_granted();
  Result<void> passed = co_await exchange_.forward(pool, grant().pod->address(), forward_options());
  if (!passed) passed = fail(named(std::move(passed).error()));
  line_.release(*this, judge(passed), now());
  co_return passed;
}

/// An error of the connection names an address; callers and operators know replicas.
Error Passage::named(Error error) const {
  if (error.side() != ErrorSide::kUpstream || error.culprit() == grant().pod->title()) return error;
  const bool may_retry = error.may_retry();
  Error by_name(error.kind(), grant().pod->title(), error.culprit() + ": " + error.message(),
                ErrorSide::kUpstream);
  return may_retry ? std::move(by_name).retryable() : by_name;
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

void Passage::on_response_head(const http::ResponseHead&, std::string& extra_lines) {
  has_answer_ = true;
  line_.answered(*this);
  if (was_held_) {
    extra_lines += "x-bellows-queue-ms: ";
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

PodOutcome Passage::judge(const Result<void>& passed) const {
  if (passed || has_answer_) return PodOutcome::kAnswered;
  const Error& error = passed.error();
  if (error.side() != ErrorSide::kUpstream) return PodOutcome::kUnknown;
  switch (error.kind()) {
    case ErrorKind::kRefused:
    case ErrorKind::kReset:
    case ErrorKind::kMalformed:
      return PodOutcome::kFailed;
    case ErrorKind::kTimeout:
      // It did not even take the connection; a slow answer says nothing about the replica.
      return error.may_retry() ? PodOutcome::kFailed : PodOutcome::kUnknown;
    default:
      return PodOutcome::kUnknown;
  }
}

proxy::Answer Passage::refusal_answer() const {
  return proxy::answer_for(refusal(), line_.throttler().retry_after_seconds(now()));
}

}  // namespace bellows::activator
