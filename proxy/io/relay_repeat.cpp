// What an upstream may have got of a request that it did not respond to, and whether the request
// may be sent again. Why: docs/decisions/requests.md.
#include <cerrno>

#include "proxy/io/relay.hpp"

namespace bellows::proxy {

/// `error`: as of upstream_ended().
Relay::Failure Relay::failure_of_end(int error) const {
  http::Connection& upstream = context_.upstream.connection;
  if (upstream.is_stream()) {
    return upstream.was_not_processed() ? Failure::kResetUnread : Failure::kOther;
  }
  // The peer's end acknowledges what had arrived before. A reset alone does not: the server may
  // have read a part. After the end it is EPIPE; a failed write does not tell which it was.
  const bool has_ended = !to_upstream_.is_broken() && (error == 0 || error == EPIPE);
  if (has_ended && !upstream.may_have_delivered(written_before_)) return Failure::kUndelivered;
  return error != 0 && !request().has_body() ? Failure::kResetUnread : Failure::kOther;
}

/// The new connection has delivered nothing, and is closed.
Relay::State Relay::lost() {
  failure_ = Failure::kUndelivered;
  return fail_with(State::kNoResponse, errors_.error(ErrorKind::kReset, ErrorSide::kUpstream,
                                                     "took a connection, but none of its bytes"));
}

bool Relay::can_repeat() const {
  if (is_retryable_rejection()) return true;
  if (phase_ != Phase::kAwaited || failure_ == Failure::kTimeout || has_lost_request()) {
    return false;
  }
  return !has_sent() || request().is_idempotent() || failure_ == Failure::kUndelivered ||
         context_.upstream.connection.was_not_processed();
}

/// Once the response has begun. Of a request that was sent again the kept bytes may be on their way
/// still, or the next request of the connection be among them.
void Relay::stop_keeping_request() {
  const BodyPump& body = to_upstream_.body();
  const bool is_used = !body.unsent().empty() || !body.read_ahead().empty();
  context_.downstream.kept.stop(is_used);
}

}  // namespace bellows::proxy
