// Determines how much of an unanswered request an upstream may have received, and whether the
// request may be sent again. docs/decisions/requests.md has the reasons.
#include <cerrno>

#include "proxy/io/relay.hpp"

namespace bellows::proxy {

/// Classifies the end of the upstream. `error` is that of upstream_ended().
Relay::Failure Relay::failure_of_end(int error) const {
  http::Connection& upstream = context_.upstream.connection;
  if (upstream.is_stream()) {
    return upstream.was_not_processed() ? Failure::kResetUnread : Failure::kOther;
  }
  // The peer's end acknowledges what had arrived before. A reset alone does not: the server may
  // have read a part. After the peer's end errno is EPIPE; a failed write does not tell the two
  // apart.
  const bool has_ended = !to_upstream_.is_broken() && (error == 0 || error == EPIPE);
  if (has_ended && !upstream.may_have_delivered(written_before_)) return Failure::kUndelivered;
  return error != 0 && !request().has_body() ? Failure::kResetUnread : Failure::kOther;
}

/// Ends the relay because the new connection, now closed, has delivered nothing.
Relay::State Relay::lost() {
  failure_ = Failure::kUndelivered;
  return fail_with(State::kNoResponse,
                   errors_.error(ErrorKind::kReset, ErrorSide::kUpstream,
                                 "accepted a connection, but read none of its bytes"));
}

bool Relay::can_repeat() const {
  if (is_retryable_rejection()) return true;
  if (phase_ != Phase::kAwaited || failure_ == Failure::kTimeout || has_lost_request()) {
    return false;
  }
  return !has_sent() || request().is_idempotent() || failure_ == Failure::kUndelivered ||
         context_.upstream.connection.was_not_processed();
}

/// Stops keeping the request, once the response has begun. If the request was sent again, its kept
/// bytes may still be in transit, or may contain the next request of the connection.
void Relay::stop_keeping_request() {
  const BodyPump& body = to_upstream_.body();
  const bool is_used = !body.unsent().empty() || !body.read_ahead().empty();
  context_.downstream.kept.stop(is_used);
}

}  // namespace bellows::proxy
