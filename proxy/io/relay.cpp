#include "proxy/io/relay.hpp"

#include <cerrno>
#include <utility>

#include "proxy/core/grpc.hpp"
#include "proxy/core/hop_headers.hpp"
#include "proxy/core/hsts.hpp"

namespace bellows::proxy {

namespace {

using Kind = http::IoResult::Kind;
using Status = BodyPump::Status;

/// Number of reads of interim responses in a row before other sessions get their turn.
constexpr int kMaxReads = 4;

/// Returns the limits of a response. An inner hop has already applied the limits to its app, and
/// adds header fields of its own.
const http::HeadLimits& response_limits(const RelayContext& context) {
  return context.options.upstream == Peer::kInside ? http::kMaxHeadLimits
                                                   : context.server.options.head;
}

/// Selects whose internal trailers are kept: those of apps and callers are dropped.
http::HopTrailers hop_trailers(const RelayContext& context) {
  return context.options.upstream == Peer::kInside ? http::HopTrailers::kKept
                                                   : http::HopTrailers::kDropped;
}

}  // namespace

Relay::Relay(const RelayContext& context)
    : context_(context),
      errors_(context.options, context.upstream.endpoint),
      to_upstream_(context.server.reactor, context.upstream.connection),
      to_downstream_(context.server.reactor, context.downstream.connection,
                     http::SizeBlanks::kAccepted, hop_trailers(context)),
      reader_(context.server.reactor, context.upstream.connection, response_limits(context)),
      tunnel_(to_upstream_, to_downstream_),
      written_before_(context.upstream.connection.written()),
      watch_(context.upstream.connection, context.server.reactor.turn_began()) {
  if (context.options.limits.idle > Duration::zero()) {
    last_activity_ = context.server.reactor.turn_began();
  }
  const std::int64_t least = context.server.options.min_body_rate;
  if (least > 0 && request().has_body() && context.options.downstream == Peer::kOutside) {
    body_rate_.emplace(least, context.server.reactor.now());
  }
}

Relay::~Relay() {
  if (tunnel_.is_open()) --context_.server.counters.open_tunnels;
}

Relay::State Relay::fail_with(State state, Error error) {
  // Part of an interim head has been sent, so downstream would read anything else as the rest of
  // it.
  const bool is_in_interim = phase_ < Phase::kRelaying && to_downstream_.has_pending_head();
  error_ = std::move(error);
  return is_in_interim && state != State::kDownstreamLeft ? State::kBroken : state;
}

Relay::State Relay::fail_malformed(State state, const BodyPump& body, ErrorSide side) {
  return fail_with(state,
                   errors_.error(ErrorKind::kMalformed, side, http::fault_text(body.fault())));
}

Relay::State Relay::downstream_left() {
  return fail_with(State::kDownstreamLeft,
                   errors_.error(ErrorKind::kReset, ErrorSide::kDownstream,
                                 "closed before its response was complete"));
}

Relay::State Relay::request_aborted() {
  return fail_with(State::kDownstreamLeft, errors_.error(ErrorKind::kReset, ErrorSide::kDownstream,
                                                         "closed in the middle of its request"));
}

Relay::State Relay::hung_up() {
  return fail_with(State::kDownstreamLeft,
                   errors_.error(ErrorKind::kCancelled, ErrorSide::kDownstream,
                                 "disconnected before the response"));
}

/// Returns true if downstream has ended its direction, in a tunnel its part of one. The end counts
/// although bytes before it are unread: an upstream that reads none of a body would hold the
/// request otherwise until a time limit.
bool Relay::has_hung_up() const {
  return !tunnel_.is_open() && context_.downstream.connection.peer_has_closed();
}

Relay::State Relay::advance() {
  if (request_phase_ == RequestPhase::kUnwritten) {
    if (const State state = write_request(); state != State::kMoving) return state;
  }
  // After a reset, bytes that are still to be relayed are useless.
  if (context_.downstream.connection.was_reset()) return request_aborted();
  const State request = push_request();
  if (request != State::kMoving && request != State::kBusy) return request;
  if (request == State::kMoving && has_hung_up()) {
    return to_upstream_.body().is_read() ? hung_up() : request_aborted();
  }
  const bool was_tunnel = tunnel_.is_open();
  const State response = phase_ < Phase::kRelaying ? pull_response() : push_response();
  if (response != State::kMoving) return response;
  // Bytes that were read after the request are the first ones of the tunnel.
  return tunnel_.is_open() && !was_tunnel ? State::kBusy : request;
}

Relay::State Relay::write_request() {
  request_phase_ = RequestPhase::kWritten;
  const std::string_view in_memory = context_.downstream.body_in_memory;
  context_.downstream.kept.begin(in_memory, context_.upstream.connection.is_stream());
  to_upstream_.body().keep_in(context_.downstream.kept);
  const Status status = to_upstream_.body().begin(http::request_body(request()), in_memory);
  if (status == Status::kMalformed) {
    return fail_malformed(State::kBadRequest, to_upstream_.body(), ErrorSide::kDownstream);
  }
  std::string& head = context_.server.scratch;
  head.clear();
  const HeaderRules rules{.downstream = context_.options.downstream,
                          .upstream = context_.options.upstream,
                          .trusts_client = context_.downstream.trusts_client,
                          .client_address = context_.downstream.client_address,
                          .scheme = context_.downstream.is_secure ? "https" : "http",
                          .client_certificate = client_certificate(),
                          .extra_lines = context_.options.extra_request_lines,
                          .trace = &context_.downstream.request.trace};
  passes_upgrade_ = context_.server.options.upgrades.allow(request());
  const bool needs_parts = context_.upstream.connection.is_stream() && !passes_upgrade_;
  http::RequestHead* const parts = needs_parts ? &context_.server.scratch_request : nullptr;
  write_request_head(request(), rules, passes_upgrade_, head, parts);
  to_upstream_.send_head(head, parts);
  return State::kMoving;
}

Relay::State Relay::push_request() {
  if (to_upstream_.is_complete()) return State::kMoving;
  // An upstream that has stopped reading the request may still respond.
  if (!to_upstream_.flush_head()) return State::kMoving;
  switch (to_upstream_.step(context_.downstream.connection)) {
    case Status::kMoving:
      return State::kMoving;
    case Status::kBusy:
      return State::kBusy;
    case Status::kComplete:
      if (tunnel_.is_open()) {
        tunnel_.end_downstream();
        last_activity_ = context_.server.reactor.now();
      }
      return State::kMoving;
    case Status::kSinkFailed:
      to_upstream_.mark_broken();
      return State::kMoving;
    case Status::kMalformed:
      return fail_malformed(phase_ < Phase::kRelaying ? State::kBadRequest : State::kBroken,
                            to_upstream_.body(), ErrorSide::kDownstream);
    case Status::kSourceEnded:
    case Status::kSourceFailed:
      break;
  }
  return request_aborted();
}

Relay::State Relay::pull_response() {
  if (!to_downstream_.flush_head()) {
    return to_downstream_.is_broken() ? downstream_left() : State::kMoving;
  }
  // Interim heads that downstream does not read take at most one block.
  const http::Connection& upstream = context_.upstream.connection;
  for (int reads = 0; !to_downstream_.has_pending_head() && upstream.is_readable(); ++reads) {
    if (reads == kMaxReads) return State::kBusy;
    const http::IoResult step = reader_.read();
    if (step.kind == Kind::kWouldBlock && !to_upstream_.is_broken()) break;
    if (step.kind != Kind::kBytes) {
      return upstream_ended(step.kind == Kind::kWouldBlock ? EPIPE : step.error);
    }
    phase_ = Phase::kInHead;
    if (const State state = relay_heads(); state != State::kMoving) return state;
    if (phase_ == Phase::kRelaying) return push_response();
  }
  if (!reader_.is_in_head()) reader_.release();
  return State::kMoving;
}

/// Handles the end of the upstream. `error` is 0 after an orderly close, as by a process that has
/// read all that was sent to it.
Relay::State Relay::upstream_ended(int error) {
  if (phase_ == Phase::kAwaited) failure_ = failure_of_end(error);
  return fail_with(State::kNoResponse, errors_.closed_before_response(reader_.is_in_head(), error));
}

/// Relays the interim responses of one read together. The final head begins the response.
Relay::State Relay::relay_heads() {
  ResponseReader::Next next = reader_.next();
  for (; next == ResponseReader::Next::kInterim; next = reader_.next()) {
    append_interim();
    reader_.drop_head();
  }
  to_downstream_.flush_head();
  if (to_downstream_.is_broken()) return downstream_left();
  if (next == ResponseReader::Next::kFault) {
    return fail_with(State::kNoResponse,
                     errors_.malformed_head(reader_.fault(), response_limits(context_),
                                            context_.server.options.head_settings));
  }
  return next == ResponseReader::Next::kFinal ? begin_response() : State::kMoving;
}

void Relay::append_interim() {
  const http::ResponseHead& interim = reader_.head();
  if (request().minor_version == 0) return;
  if (interim.status == 100 && !request().expects_continue) return;
  std::string& head = context_.server.scratch;
  head.clear();
  write_response_head(interim,
                      {.downstream = context_.options.downstream,
                       .upstream = context_.options.upstream,
                       .extra_lines = {}},
                      head);
  to_downstream_.append_head(head);
}

Relay::State Relay::begin_response() {
  const http::ResponseHead& response = reader_.head();
  if (context_.options.upstream == Peer::kInside && !has_lost_request() &&
      proxy::is_retryable_rejection(response.fields)) {
    failure_ = Failure::kRetryableRejection;
    reported_runs_ = errors_.reported_runs(response.fields);
    return fail_with(State::kNoResponse, errors_.retryable_rejection(response.fields));
  }
  const bool switches_protocol = response.status == 101;
  if (switches_protocol && (!passes_upgrade_ || !is_requested_upgrade(request(), response) ||
                            !to_upstream_.body().is_complete())) {
    return fail_with(State::kNoResponse,
                     errors_.error(ErrorKind::kMalformed, ErrorSide::kUpstream,
                                   "switched protocols without a request for it"));
  }
  is_reply_to_call_ = is_inner_reply_to_call();
  if (const State state = begin_response_body(); state != State::kMoving) return state;
  send_response_head();
  if (switches_protocol) {
    open_tunnel();
  }
  return State::kMoving;
}

void Relay::open_tunnel() {
  context_.downstream.request.outcome.was_upgraded = true;
  tunnel_.open();
  switched_ = context_.server.reactor.now();
  ++context_.server.counters.open_tunnels;
  context_.server.listener.tunnel_opened();
}

Relay::State Relay::begin_response_body() {
  plan_ = plan_response(request(), reader_.head(),
                        {.has_sent_request = to_upstream_.body().is_complete(),
                         .is_draining = context_.downstream.is_past_age ||
                                        context_.server.is_leaving(context_.downstream.port)});
  BodyPump& body = to_downstream_.body();
  if (is_reply_to_call_) return drop_inner_body();
  if (request_record().is_grpc_call && is_grpc_reply(reader_.head())) body.follow(messages_);
  if (body.begin(plan_.framing, plan_.coding, reader_.body_begin()) == Status::kMalformed) {
    return fail_malformed(State::kNoResponse, body, ErrorSide::kUpstream);
  }
  return State::kMoving;
}

void Relay::send_response_head() {
  ServerState& server = context_.server;
  const http::ResponseHead& response = reader_.head();
  server.scratch_lines.clear();
  if (context_.options.hook != nullptr) {
    context_.options.hook->on_response_head(response, server.scratch_lines);
  }
  if (context_.downstream.is_secure) {
    append_hsts(server.options.hsts, response.fields, server.scratch_lines);
  }
  const TimePoint now = server.reactor.now();
  RequestRecord& record = context_.downstream.request;
  record.outcome.status = response.status;
  record.outcome.time_to_first_byte = now - record.arrived;
  server.scratch.clear();
  const bool needs_parts = context_.downstream.connection.is_stream() && response.status != 101;
  http::ResponseHead* parts = needs_parts ? &server.scratch_response : nullptr;
  if (record.is_grpc_call && is_reply_to_call_) parts = nullptr;
  if (record.is_grpc_call) {
    write_head_to_call(now, parts);
  } else {
    write_final_head(now, parts);
  }
  phase_ = Phase::kRelaying;
  stop_keeping_request();
  if (to_downstream_.has_pending_head()) {  // of an interim response
    to_downstream_.append_head(server.scratch);
  } else {
    to_downstream_.send_head(server.scratch, parts);
  }
}

void Relay::write_final_head(TimePoint now, http::ResponseHead* parts) {
  ServerState& server = context_.server;
  const http::ResponseHead& response = reader_.head();
  write_response_head(response,
                      {.downstream = context_.options.downstream,
                       .upstream = context_.options.upstream,
                       .downstream_minor_version = request().minor_version,
                       .keep_alive = plan_.keeps_downstream,
                       .is_upgrade = response.status == 101,
                       .makes_chunks = plan_.coding == BodyCoding::kChunked,
                       .extra_lines = server.scratch_lines,
                       .date_line = server.date.at(now, server.reactor.clock())},
                      server.scratch, parts);
}

Relay::State Relay::push_response() {
  if (!to_downstream_.flush_head()) {
    return to_downstream_.is_broken() ? downstream_left() : State::kMoving;
  }
  const Status status = to_downstream_.step(context_.upstream.connection);
  if (to_downstream_.body().unsent().empty()) reader_.release();
  switch (status) {
    case Status::kMoving:
      return State::kMoving;
    case Status::kBusy:
      return State::kBusy;
    case Status::kComplete:
      return tunnel_.is_open() ? end_upstream_side() : complete();
    case Status::kSinkFailed:
      return downstream_left();
    case Status::kMalformed:
      return fail_malformed(State::kBroken, to_downstream_.body(), ErrorSide::kUpstream);
    case Status::kSourceEnded:
    case Status::kSourceFailed:
      break;
  }
  return fail_with(State::kBroken, errors_.error(ErrorKind::kReset, ErrorSide::kUpstream,
                                                 "closed in the middle of its response"));
}

Relay::State Relay::complete() {
  phase_ = Phase::kComplete;
  if (request_record().is_grpc_call) note_call_end();
  return State::kComplete;
}

Relay::State Relay::end_upstream_side() {
  if (tunnel_.end_upstream()) last_activity_ = context_.server.reactor.now();
  return tunnel_.is_complete() ? complete() : State::kMoving;
}

Relay::State Relay::end_half_open() {
  switch (tunnel_.end_half_open()) {
    case Tunnel::HalfOpenEnd::kComplete:
      return complete();
    case Tunnel::HalfOpenEnd::kDownstreamUnread:
      return downstream_left();
    case Tunnel::HalfOpenEnd::kUpstreamUnread:
      break;
  }
  return fail_with(State::kBroken, errors_.error(ErrorKind::kTimeout, ErrorSide::kUpstream,
                                                 "read no more after it had ended"));
}

bool Relay::can_reuse_upstream() const {
  return phase_ == Phase::kComplete && plan_.keeps_upstream && !to_upstream_.is_broken() &&
         to_upstream_.is_complete() && to_downstream_.body().read_ahead().empty() &&
         !context_.upstream.connection.peer_has_closed();
}

RelayStage Relay::stage() const {
  if (tunnel_.is_half_open()) return RelayStage::kHalfOpenTunnel;
  if (tunnel_.is_open()) return RelayStage::kTunnel;
  return phase_ < Phase::kRelaying ? RelayStage::kAwaitingResponse : RelayStage::kRelayingResponse;
}

RelayTimes Relay::times() const {
  return {.arrived = context_.downstream.request.arrived,
          .forwarded = context_.upstream.forwarded,
          .last_activity = last_activity_,
          .switched = switched_};
}

TimePoint Relay::deadline() {
  note_activity();
  const TimePoint next = next_deadline(context_.options.limits, stage(), times());
  const TimePoint limit = body_rate_ ? std::min(next, body_deadline()) : next;
  return is_watched() ? std::min(limit, watch_.deadline()) : limit;
}

/// Returns when the body of the request is late. Once the response has begun, there is no limit.
TimePoint Relay::body_deadline() {
  const BodyPump& body = to_upstream_.body();
  if (body.is_read() || phase_ >= Phase::kRelaying) return TimePoint::max();
  return body_rate_->deadline(context_.server.reactor.now(), body.bytes(), is_request_late());
}

void Relay::note_activity() {
  if (context_.options.limits.idle <= Duration::zero() && !tunnel_.is_half_open()) return;
  // The mark increases with every byte that is read, and again when it is sent, in both directions.
  const BodyPump& request = to_upstream_.body();
  const BodyPump& response = to_downstream_.body();
  const std::uint64_t mark = 2 * (request.bytes() + response.bytes()) - request.unsent().size() -
                             response.unsent().size() + reader_.bytes();
  if (mark == activity_mark_) return;
  activity_mark_ = mark;
  last_activity_ = context_.server.reactor.turn_began();
}

/// Returns true if all of the request that has arrived was relayed, and more is due. A downstream
/// that waits for a 100 response (Expect) is not late.
bool Relay::is_request_late() const {
  const BodyPump& body = to_upstream_.body();
  const bool has_asked = request().expects_continue && phase_ == Phase::kAwaited;
  const bool is_relayed = !to_upstream_.has_pending_head() && body.unsent().empty();
  return !body.is_read() && is_relayed && !(has_asked && body.bytes() == 0);
}

Relay::State Relay::time_out() {
  note_activity();
  if (is_watched() && watch_.finds_loss(context_.server.reactor.now())) return lost();
  if (body_rate_ && body_deadline() <= context_.server.reactor.now()) {
    failure_ = Failure::kTimeout;
    return fail_with(State::kNoResponse, late_body_error());
  }
  const RelayStage at = stage();
  const RelayTimeout timeout =
      exceeded_limit(context_.options.limits, at, times(), context_.server.reactor.now());
  if (timeout == RelayTimeout::kNone) return State::kMoving;
  // Both sides see an orderly end of their connection.
  if (timeout == RelayTimeout::kTunnelLife) return complete();
  failure_ = Failure::kTimeout;
  if (timeout == RelayTimeout::kHalfOpen) return end_half_open();
  const bool is_late = !tunnel_.is_open() && is_request_late();
  const bool is_awaited = at == RelayStage::kAwaitingResponse;
  const bool is_unread =
      !is_awaited && (!to_downstream_.body().unsent().empty() || to_downstream_.has_pending_head());
  const ErrorSide side = is_late || is_unread ? ErrorSide::kDownstream : ErrorSide::kUpstream;
  return fail_with(is_awaited ? State::kNoResponse : State::kBroken,
                   errors_.error(ErrorKind::kTimeout, side, timeout_message(timeout, at, is_late)));
}

}  // namespace bellows::proxy
