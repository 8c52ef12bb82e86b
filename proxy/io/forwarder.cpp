#include "proxy/io/forwarder.hpp"

#include <utility>

#include "base/check.hpp"
#include "http/h2/core/error_code.hpp"
#include "proxy/core/grpc.hpp"
#include "proxy/io/session.hpp"

namespace bellows::proxy {

namespace {

/// Replaces the address in an error of the connection by a name, because callers and operators know
/// replicas.
Error with_culprit(Error error, std::string_view name) {
  if (name.empty() || error.side() != ErrorSide::kUpstream) return error;
  const bool may_retry = error.may_retry();
  Error by_name(error.kind(), std::string(name), to_string(error), ErrorSide::kUpstream);
  return may_retry ? std::move(by_name).retryable() : by_name;
}

Error stopped_error() {
  return Error(ErrorKind::kCancelled, "server", "stopped before the request was complete");
}

/// Makes the error for a time limit that has passed before the request was sent, so that the
/// upstream does no useless work.
Error overdue_error(std::string_view upstream_name) {
  return Error(ErrorKind::kTimeout, std::string(upstream_name),
               "the request's time limit ended before it was sent", ErrorSide::kUpstream);
}

AbortedBy aborted_by(ErrorSide side) {
  switch (side) {
    case ErrorSide::kUpstream:
      return AbortedBy::kUpstream;
    case ErrorSide::kDownstream:
      return AbortedBy::kDownstream;
    case ErrorSide::kInternal:
      break;
  }
  return AbortedBy::kLocal;
}

bool is_unfinished(Relay::State state) {
  return state == Relay::State::kMoving || state == Relay::State::kBusy;
}

}  // namespace

/// Selects the check, so that a request that cannot be repeated does not use a connection that is
/// being closed. A hop of Bellows keeps idle connections for longer than a pool does.
IdleCheck Forwarder::idle_check(const ForwardOptions& options) const {
  const bool is_idempotent = session_.record().head.is_idempotent();
  if (is_idempotent && session_.exchange().is_whole()) return IdleCheck::kNone;
  return options.upstream == Peer::kInside ? IdleCheck::kOpen : IdleCheck::kYoung;
}

http::Task<Result<void>> Forwarder::forward(UpstreamPool& pool, const Endpoint& upstream,
                                            const ForwardOptions& options) {
  CHECK(!session_.is_settled(), "a request with a response is not forwarded again");
  const TimePoint started = session_.server().reactor.now();
  const TimePoint deadline = total_deadline(options);
  Outcome& outcome = session_.record().outcome;
  outcome.is_retryable_rejection = false;
  if (session_.server().is_cutting) co_return co_await reject(stopped_error());
  if (deadline <= started) co_return co_await reject(overdue_error(options.upstream_name));
  // After a failure only fresh connections are used. Where servers end together, a try over an idle
  // connection that was just closed would count as a run, but a fresh one is refused, which costs
  // nothing.
  for (bool may_reuse = outcome.retries.is_whole();; may_reuse = false) {
    const UpstreamVersion version = pool.version_for(upstream, options.version);
    UpstreamPool::ConnectionPtr connection =
        may_reuse ? pool.acquire(upstream, version, idle_check(options)) : nullptr;
    const bool is_reused = connection != nullptr;
    ++outcome.upstream_tries;
    if (!is_reused) {
      auto fresh = co_await pool.connect(upstream, session_.exchange(), deadline, version);
      if (!fresh) co_return co_await fail_connect(std::move(fresh).error(), options);
      connection = std::move(*fresh);
    }
    Relay relay(relay_context(*connection, upstream, options, started));
    Relay::State state = relay.advance();
    while (prepare_wait(relay, state)) {
      co_await session_.waiter().wait();
      state = resume(relay);
    }
    session_.waiter().clear_deadline();
    if (state == Relay::State::kComplete) {
      complete(relay);
      pool.note_response(upstream);
      const bool is_reusable = relay.can_reuse_upstream() && !connection->is_stream();
      if (is_reusable) pool.release(upstream, std::move(connection), last_response(relay));
      co_return Result<void>();
    }
    const bool has_fallen_back = version != pool.version_for(upstream, version);
    if (has_fallen_back && state == Relay::State::kNoResponse && relay.can_repeat()) continue;
    note_try(relay);
    const bool is_surely_unread = relay.was_lost() || connection->was_not_processed();
    if ((is_reused || is_surely_unread) && was_stale(relay, state)) {
      ++session_.server().counters.retries;
      continue;
    }
    abort_upstream(*connection, state);
    co_return co_await fail_relay(relay, state, connection->reset_code());
  }
}

/// Aborts the connection. Between HTTP/2 streams it forwards why one side has ended: the app sees a
/// caller's cancellation, and the caller sees the code of an app's reset.
void Forwarder::abort_upstream(http::Connection& connection, Relay::State state) {
  http::Connection& downstream = session_.downstream();
  if (connection.reset_code() != 0) downstream.set_abort_code(connection.reset_code());
  const bool has_left = state == Relay::State::kDownstreamLeft && downstream.reset_code() != 0;
  connection.set_abort_code(has_left ? downstream.reset_code()
                                     : static_cast<std::uint32_t>(http2::ErrorCode::kCancel));
  connection.abort();
}

RelayContext Forwarder::relay_context(http::Connection& connection, const Endpoint& upstream,
                                      const ForwardOptions& options, TimePoint started) {
  connection.set_waiter(&session_.waiter());
  return {.server = session_.server(),
          .downstream = {.connection = session_.downstream(),
                         .request = session_.record(),
                         .body_in_memory = session_.body_in_memory(),
                         .kept = session_.kept_body(),
                         .client_address = session_.client_address(),
                         .is_secure = session_.is_secure(),
                         .trusts_client = session_.trusts_client(),
                         .port = session_.port(),
                         .is_past_age = session_.is_past_age()},
          .upstream = {.connection = connection, .endpoint = upstream, .forwarded = started},
          .options = options};
}

/// Prepares a wait. Returns false if the relay has ended, or the server is stopping.
bool Forwarder::prepare_wait(Relay& relay, Relay::State state) {
  if (!is_unfinished(state) || session_.server().is_cutting) return false;
  if (state == Relay::State::kBusy) session_.waiter().wake();
  session_.waiter().set_deadline(relay.deadline());
  return true;
}

Relay::State Forwarder::resume(Relay& relay) {
  if (session_.server().is_cutting) return Relay::State::kMoving;
  if (session_.waiter().is_overdue()) {
    if (const Relay::State state = relay.time_out(); state != Relay::State::kMoving) return state;
  }
  return relay.advance();
}

UpstreamPool::LastResponse Forwarder::last_response(const Relay& relay) const {
  const RequestRecord& record = session_.record();
  return {.began = record.arrived + record.outcome.time_to_first_byte,
          .keep_alive = relay.upstream_keep_alive()};
}

void Forwarder::complete(const Relay& relay) {
  session_.settle(relay);
  Outcome& outcome = session_.record().outcome;
  outcome.error = relay.inner_end();  // replaces that of an earlier try
  if (outcome.error) outcome.aborted_by = AbortedBy::kUpstream;
}

/// Returns true if a fresh connection may work: the upstream closed an idle connection just when it
/// was reused, or has received no byte of the request.
bool Forwarder::was_stale(const Relay& relay, Relay::State state) const {
  return state == Relay::State::kNoResponse && !relay.is_retryable_rejection() &&
         may_send_again(relay);
}

TimePoint Forwarder::total_deadline(const ForwardOptions& options) const {
  const Duration total = options.limits.total;
  return total > Duration::zero() ? session_.record().arrived + total : TimePoint::max();
}

/// Replies with an error of Bellows itself, because no other upstream would help and none is to
/// blame.
http::Task<Result<void>> Forwarder::reject(Error error) {
  session_.record().outcome.error = error.kind();
  LocalReply reply = local_reply_for(error);
  co_await session_.send_local_reply(std::move(reply));
  co_return fail(std::move(error).on(ErrorSide::kInternal));
}

/// Handles a failure to connect: another upstream may work, unless time is over or the caller has
/// disconnected.
http::Task<Result<void>> Forwarder::fail_connect(Error cause, const ForwardOptions& options) {
  Error error = with_culprit(std::move(cause), options.upstream_name);
  session_.record().outcome.error = error.kind();
  if (error.may_retry()) {
    last_error_ = std::make_unique<Error>(error);
    co_return fail(std::move(error));
  }
  if (error.side() != ErrorSide::kDownstream) co_return co_await reject(std::move(error));
  session_.abort_exchange(AbortedBy::kDownstream);
  co_return fail(std::move(error));
}

/// Records the effect of a try that ended without a whole response.
void Forwarder::note_try(const Relay& relay) {
  RetryBudget& retries = session_.record().outcome.retries;
  if (relay.was_unread()) {
    retries.note_reset();
  } else if (relay.is_retryable_rejection()) {
    retries.note_runs(relay.reported_runs());
    if (relay.reported_runs() == 0 && relay.error().kind() == ErrorKind::kReset) {
      retries.note_reset();
    }
  } else if (relay.has_sent()) {
    retries.note_runs(1);
  }
}

/// Returns true if the request may be sent again, to the same upstream or another one.
bool Forwarder::may_send_again(const Relay& relay) const {
  return relay.can_repeat() && session_.record().outcome.retries.allows_another();
}

/// Handles a failed relay. `state` is how the relay ended, or that it was unfinished when the
/// server was stopped. `reset_code` is that of the upstream's RST_STREAM, or 0.
http::Task<Result<void>> Forwarder::fail_relay(Relay& relay, Relay::State state,
                                               std::uint32_t reset_code) {
  Outcome& outcome = session_.record().outcome;
  outcome.request_bytes = relay.request_bytes();
  const bool is_stopped = is_unfinished(state);
  if (is_stopped) {
    state = relay.has_begun_response() ? Relay::State::kBroken : Relay::State::kNoResponse;
  }
  Error error = is_stopped ? stopped_error() : relay.take_error();
  outcome.error = error.kind();
  outcome.is_retryable_rejection = relay.is_retryable_rejection();
  switch (state) {
    case Relay::State::kNoResponse:
      if (may_send_again(relay)) {
        last_error_ = std::make_unique<Error>(error);
        co_return fail(std::move(error).retryable());
      }
      [[fallthrough]];
    case Relay::State::kBadRequest: {
      LocalReply reply = local_reply_for(error);
      if (session_.record().is_grpc_call) reply.grpc_status = grpc_status_of_reset(reset_code);
      // If part of the body was relayed already, the beginning of the next request is unknown, so
      // the reply closes the connection.
      reply.close = relay.has_pulled_request() || state == Relay::State::kBadRequest;
      co_await session_.send_local_reply(std::move(reply));
      break;
    }
    default:
      session_.settle(relay);
      // An app's own reset of its stream is passed on with its code.
      if (state == Relay::State::kBroken && reset_code == 0 && relay.can_end_call(error.kind())) {
        co_await session_.end_call(relay, error, aborted_by(error.side()));
      } else {
        session_.abort_exchange(aborted_by(error.side()));
      }
      break;
  }
  co_return fail(std::move(error));
}

}  // namespace bellows::proxy
