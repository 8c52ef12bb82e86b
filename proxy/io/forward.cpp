// Session::forward(): tries, repeats and the end of a passed-on request.
#include <algorithm>

#include "base/check.hpp"
#include "proxy/io/session.hpp"

namespace bellows::proxy {

namespace {

/// An error of the connection names an address; callers and operators know replicas.
Error named(Error error, std::string_view name) {
  if (name.empty() || error.side() != ErrorSide::kUpstream) return error;
  const bool may_retry = error.may_retry();
  Error by_name(error.kind(), std::string(name), to_string(error), ErrorSide::kUpstream);
  return may_retry ? std::move(by_name).retryable() : by_name;
}

Error stopped_error() {
  return Error(ErrorKind::kCancelled, "server", "stopped before the request was over");
}

/// Its time was over before it was sent: an upstream would work for nobody.
Error overdue_error(std::string_view upstream_name) {
  return Error(ErrorKind::kTimeout, std::string(upstream_name),
               "the request's time limit ended before it was sent", ErrorSide::kUpstream);
}

CutBy cut_by(ErrorSide side) {
  switch (side) {
    case ErrorSide::kUpstream:
      return CutBy::kUpstream;
    case ErrorSide::kDownstream:
      return CutBy::kCaller;
    case ErrorSide::kInternal:
      break;
  }
  return CutBy::kUs;
}

}  // namespace

RelayContext Session::relay_context(http::Connection& connection, const Endpoint& upstream,
                                    const ForwardOptions& options) {
  return {.reactor = server_.reactor,
          .downstream = downstream_,
          .upstream = connection,
          .request = head_,
          .body_in_memory = input_.view().substr(head_.size),
          .options = options,
          .client_address = client_address(),
          .can_reset_caller = !is_on_unix_socket(),
          .upstream_endpoint = upstream,
          .arrived = arrived_,
          .is_draining = server_.is_draining,
          .outcome = outcome_,
          .scratch = server_.scratch,
          .scratch_lines = server_.scratch_lines,
          .date = server_.date};
}

UpstreamPool::ConnectionPtr Session::take_kept(UpstreamPool& pool, const Endpoint& upstream) const {
  UpstreamPool::ConnectionPtr connection = pool.take(upstream);
  // What cannot be repeated had better not meet a connection that is just being closed.
  while (connection && !head_.is_idempotent() && !connection->is_silent()) {
    connection = pool.take(upstream);
  }
  return connection;
}

http::Task<Result<void>> Session::forward(UpstreamPool& pool, const Endpoint& upstream,
                                          const ForwardOptions& options) {
  CHECK(!is_settled_, "a request that was answered is not passed on again");
  const TimePoint started = server_.reactor.now();
  outcome_.was_turned_away = false;
  if (server_.is_cutting) co_return co_await refuse_forward(stopped_error());
  if (total_deadline(options) <= started) {
    co_return co_await refuse_forward(overdue_error(options.upstream_name));
  }
  bool was_sent_before = false;
  for (bool may_use_kept = true;; may_use_kept = false) {
    UpstreamPool::ConnectionPtr connection = may_use_kept ? take_kept(pool, upstream) : nullptr;
    const bool was_kept = connection != nullptr;
    ++outcome_.upstream_tries;
    if (!was_kept) {
      auto fresh = co_await pool.connect(upstream, *this, total_deadline(options));
      if (!fresh) {
        co_return co_await give_up(named(std::move(fresh).error(), options.upstream_name));
      }
      connection = std::move(*fresh);
    }
    connection->set_waiter(&waiter_);
    Relay relay(relay_context(*connection, upstream, options));
    Relay::State state = relay.advance();
    while (state == Relay::State::kMoving || state == Relay::State::kBusy) {
      if (state == Relay::State::kBusy) waiter_.wake();
      waiter_.set_deadline(relay.deadline(started));
      co_await waiter_.wait();
      if (server_.is_cutting) break;
      state = waiter_.is_overdue() ? relay.time_out(started) : Relay::State::kMoving;
      if (state == Relay::State::kMoving) state = relay.advance();
    }
    waiter_.clear_deadline();
    const bool was_stale = was_kept && !relay.was_turned_away();
    if (state == Relay::State::kNoAnswer && was_stale && relay.can_repeat()) {
      ++server_.counters.retries;
      was_sent_before = relay.has_sent();
      continue;
    }
    if (state == Relay::State::kComplete) {
      settle(relay);
      outcome_.has_error = false;  // of a try before
      if (relay.can_reuse_upstream()) pool.keep(upstream, std::move(connection));
      co_return Result<void>();
    }
    connection->abort();
    co_return co_await fail_forward(relay, state, was_sent_before);
  }
}

TimePoint Session::total_deadline(const ForwardOptions& options) const {
  const Duration total = options.limits.total;
  return total > Duration::zero() ? arrived_ + total : TimePoint::max();
}

/// Nothing of it was sent, and no upstream would do better, nor is one to blame.
http::Task<Result<void>> Session::refuse_forward(Error error) {
  note_error(error);
  co_await answer(error);
  co_return fail(std::move(error).on(ErrorSide::kInternal));
}

/// No connection: another upstream may do better, unless time is over or the caller is gone.
http::Task<Result<void>> Session::give_up(Error error) {
  if (error.may_retry()) {
    note_error(error);
    last_error_ = error;
    co_return fail(std::move(error));
  }
  if (error.side() != ErrorSide::kDownstream) co_return co_await refuse_forward(std::move(error));
  note_error(error);
  cut(CutBy::kCaller);
  co_return fail(std::move(error));
}

void Session::settle(const Relay& relay) {
  is_settled_ = true;
  outcome_.request_bytes = relay.request_bytes();
  outcome_.response_bytes = relay.answer_bytes();
  if (relay.has_pulled_request()) {
    surplus_ = std::string(relay.request_surplus());
  } else {
    consumed_ = head_.size + static_cast<std::size_t>(relay.request_bytes());
  }
  keeps_alive_ = relay.can_reuse_downstream();
  // The rest of the request may be on its way, or bytes behind it: an old habit (RFC 9112 2.2), or
  // a request that will not be read.
  if (!keeps_alive_) ending_ = Ending::kLinger;
}

/// `state`: how the relay ended, or that it was still moving when the server was stopped.
/// `was_sent_before`: over a kept connection. An app that may have had it twice does not get it a
/// third time.
http::Task<Result<void>> Session::fail_forward(Relay& relay, Relay::State state,
                                               bool was_sent_before) {
  outcome_.request_bytes = relay.request_bytes();
  const bool is_stopped = state == Relay::State::kMoving || state == Relay::State::kBusy;
  if (is_stopped) {
    state = relay.has_begun_answer() ? Relay::State::kBroken : Relay::State::kNoAnswer;
  }
  Error error = is_stopped ? stopped_error() : relay.take_error();
  note_error(error);
  outcome_.was_turned_away = relay.was_turned_away();
  const bool did_reach_app =
      relay.has_sent() && (!relay.was_turned_away() || error.kind() == ErrorKind::kReset);
  switch (state) {
    case Relay::State::kNoAnswer:
      if (relay.can_repeat() && !(was_sent_before && did_reach_app)) {
        last_error_ = error;
        co_return fail(std::move(error).retryable());
      }
      [[fallthrough]];
    case Relay::State::kBadRequest: {
      Answer reply = answer_for(error);
      // Bytes of the body that went past the buffer are gone: the next request cannot be found.
      reply.close = relay.has_pulled_request() || state == Relay::State::kBadRequest;
      co_await answer(std::move(reply));
      break;
    }
    default:
      settle(relay);
      cut(cut_by(error.side()));
      break;
  }
  co_return fail(std::move(error));
}

void Session::note_error(const Error& error) {
  outcome_.has_error = true;
  outcome_.error = error.kind();
}

/// The answer stays incomplete, and says so.
void Session::cut(CutBy by) {
  is_settled_ = true;
  keeps_alive_ = false;
  outcome_.was_cut = true;
  outcome_.cut_by = by;
  ending_ = Ending::kReset;
}

}  // namespace bellows::proxy
