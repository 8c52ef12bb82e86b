#include "proxy/io/session.hpp"

#include <algorithm>
#include <utility>

#include "http/h2/core/preface.hpp"
#include "proxy/core/body_rate.hpp"
#include "proxy/core/grpc.hpp"
#include "proxy/core/max_forwards.hpp"
#include "proxy/io/http2_downstream.hpp"
#include "proxy/io/relay.hpp"

namespace bellows::proxy {

namespace {

using Kind = http::IoResult::Kind;

constexpr Duration kLingerTime = std::chrono::seconds(2);
constexpr std::size_t kLingerBytes = std::size_t{1024} * 1024;
// Number of requests that arrived together and are handled before other sessions get their turn:
// well below a millisecond if all get local replies. Each also takes stack until the task waits.
constexpr int kMaxInARow = 32;
// Up to this number requests are held in the blocks they arrived in, because that memory is kept
// warm anyway.
constexpr std::size_t kUnpackedHeads = http::BufferPool::kMaxWarmHeads / 4;
// Time in which a connection that was made just before the server closes may still send a request.
constexpr Duration kFirstRequestTime = std::chrono::milliseconds(500);

bool was_stopped(const Outcome& outcome) {
  return outcome.error == ErrorKind::kCancelled && outcome.aborted_by != AbortedBy::kDownstream;
}

LocalReply late_head_reply() {
  return local_reply_for(Error(ErrorKind::kTimeout, "request", "its head did not arrive in time",
                               ErrorSide::kDownstream));
}

}  // namespace

Session::Session(ServerState& server, std::unique_ptr<http::Connection> downstream,
                 const http::SocketAddress& peer, PortPtr port, std::string client)
    : server_(server),
      listener_(server.listener),
      accepted_(server.reactor.now()),
      port_(std::move(port)),
      end_of_age_(server.end_of_age(port_->callers())),
      peer_(http::address_text(peer)),
      client_(std::move(client)),
      trusts_client_(server.options.trusted_proxies.has(http::ip_address(peer))),
      is_stream_(false),
      may_be_http2_(true),
      downstream_(std::move(downstream)),
      is_secure_(downstream_->tls_peer().has_value()),
      waiter_(server.reactor),
      input_(server.reactor.buffers()),
      kept_(server.kept_bytes),
      idle_since_(accepted_) {
  downstream_->set_waiter(&waiter_);
  server_.silent.append(*this);
  ++server_.counters.connections;
  ++server_.counters.open_connections;
  ++port_->connections_;
}

/// Makes the session of a stream, which counts as a request; the carrier counts as a connection.
Session::Session(Session& carrier, std::unique_ptr<http::Connection> stream,
                 SessionListener& listener)
    : server_(carrier.server_),
      listener_(listener),
      accepted_(server_.reactor.turn_began()),
      port_(carrier.port_),
      end_of_age_(TimePoint::max()),
      peer_(carrier.peer_),
      trusts_client_(carrier.trusts_client_),
      is_stream_(true),
      may_be_http2_(false),
      downstream_(std::move(stream)),
      is_secure_(carrier.is_secure_),
      waiter_(server_.reactor),
      input_(server_.reactor.buffers()),
      kept_(server_.kept_bytes),
      idle_since_(accepted_) {
  downstream_->set_waiter(&waiter_);
}

Session::~Session() {
  // The task was destroyed during its wait, without ending the exchange itself.
  const bool is_in_exchange = phase_ != Phase::kNone;
  if (is_in_exchange) {
    record_.outcome.aborted_by = AbortedBy::kLocal;
    record_.outcome.error = ErrorKind::kCancelled;
    count_exchange();
  }
  if (!is_stream_) {
    --server_.counters.open_connections;
    --port_->connections_;
  }
  if (ending_ == Ending::kReset || is_in_exchange) downstream_->abort();
}

void Session::start() {
  task_ = run();
  task_.start();
}

const http::HeadLimits& Session::head_limits() const {
  return caller() == Peer::kInside ? http::kMaxHeadLimits : server_.options.head;
}

std::string_view Session::client_address() const {
  if (peer_ == "unix") return "unknown";  // RFC 7239 6.2
  const std::string_view peer = peer_;
  if (peer.starts_with('[')) return peer.substr(1, peer.find(']') - 1);
  return peer.substr(0, peer.rfind(':'));
}

http::Task<void> Session::run() {
  while (downstream_->is_open() && keeps_alive_ && !server_.is_cutting) {
    // g++ 12 compiles a co_await inside of a compound condition to nothing.
    const HeadStep step = co_await read_head();
    if (step == HeadStep::kEnd) break;
    if (step == HeadStep::kHttp2) {
      co_await serve_http2();
      break;
    }
    begin_exchange();
    co_await serve();
    end_exchange();
    if (++in_a_row_ < kMaxInARow) continue;
    in_a_row_ = 0;
    waiter_.wake();
    co_await waiter_.wait();
  }
  if (ending_ == Ending::kLinger && !is_stream_) co_await linger();
  close();
  listener_.session_ended(*this);
}

http::Task<void> Session::serve_http2() {
  waiter_.clear_deadline();
  http2_ = std::make_unique<Http2Downstream>(*this, std::move(downstream_), input_.view());
  input_.clear();
  return http2_->run();
}

bool Session::has_unsent() const {
  return http2_ && http2_->has_unsent();
}

void Session::note_stream() {
  has_served_ = true;
  leave();
}

void Session::wait_for_stream(TimePoint since) {
  if (!has_served_ || since == TimePoint::max()) return;
  idle_since_ = since;
  server_.idle.append(*this);
}

void Session::replace() {
  was_replaced_ = true;
  ++server_.replaced;
  leave();
  if (downstream_) downstream_->close();
  waiter_.wake();
}

void Session::close() {
  if (!downstream_) return;
  if (ending_ == Ending::kReset) {
    downstream_->abort();
  } else {
    downstream_->close();
  }
}

/// Waits for the next request. kEnd: none will follow; a malformed head has been rejected.
http::Task<Session::HeadStep> Session::read_head() {
  http::HeadParser parser(head_limits());
  bool has_begun = false;
  for (;;) {
    if (!input_.empty() && may_be_http2_) {
      const http2::PrefaceMatch match = http2::match_preface(input_.view());
      if (match == http2::PrefaceMatch::kYes) co_return HeadStep::kHttp2;
      may_be_http2_ = match == http2::PrefaceMatch::kMaybe;
      if (!may_be_http2_ && has_agreed_on_http2()) co_return HeadStep::kEnd;
    }
    if (!input_.empty() && !may_be_http2_) {
      const bool is_known =
          is_stream_ && downstream_->take_head(input_.view(), head_limits(), record_.head);
      if (is_known) co_return HeadStep::kComplete;
      const http::HeadResult result = parser.read(input_.view(), record_.head);
      if (result.is_complete()) co_return HeadStep::kComplete;
      if (result.is_fault()) {
        LocalReply reply =
            local_reply_for(*result.fault(), head_limits(), server_.options.head_settings);
        co_await reject_head(std::move(reply));
        co_return HeadStep::kEnd;
      }
      if (parser.has_only_empty_line(input_.view())) {
        input_.clear();
        has_begun = false;
      }
    }
    const http::IoResult step = input_.fill(*downstream_);
    if (step.kind == Kind::kBytes) continue;
    if (step.kind != Kind::kWouldBlock || server_.is_cutting) co_return HeadStep::kEnd;
    if (input_.empty() && is_to_close()) co_return HeadStep::kEnd;
    if (!has_begun) {
      has_begun = !input_.empty();
      set_head_deadline(has_begun);
    }
    in_a_row_ = 0;
    co_await waiter_.wait();
    if (was_replaced_) co_return HeadStep::kEnd;
    if (!waiter_.is_overdue()) continue;
    if (has_begun) {
      LocalReply reply = late_head_reply();
      co_await reject_head(std::move(reply));
    }
    co_return HeadStep::kEnd;
  }
}

/// Returns true if TLS has negotiated HTTP/2. Then anything but the preface is a connection error
/// (RFC 9113 3.4).
bool Session::has_agreed_on_http2() const {
  const std::optional<http::TlsPeer> tls = downstream_->tls_peer();
  return tls && tls->protocol == "h2";
}

void Session::set_head_deadline(bool has_begun) {
  if (has_begun) {
    waiter_.set_deadline(server_.reactor.now() + server_.options.header_timeout);
    return;
  }
  const bool is_new = is_closing() && !has_served_;
  waiter_.set_deadline(idle_since_ +
                       (is_new ? kFirstRequestTime : server_.options.keep_alive_timeout));
}

/// Returns true if a connection on which no byte of a request has arrived should close.
bool Session::is_to_close() const {
  if (has_served_) return server_.closes_idle || is_closing();
  return is_closing() && server_.reactor.now() >= idle_since_ + kFirstRequestTime;
}

void Session::begin_exchange() {
  leave();
  record_.arrived = server_.reactor.now();
  record_.outcome = {};
  record_.request_id.clear();
  note_call();
  if (server_.tracer) record_.trace = server_.tracer->begin(record_.head.fields, caller());
  forwarder_.reset();
  consumed_ = record_.head.size;
  phase_ = Phase::kHandled;
  has_served_ = true;
  waiter_.clear_deadline();
  ++server_.counters.requests;
  ++server_.counters.in_flight;
}

/// Records the time limit of a call, which the next hop of Bellows applies too.
void Session::note_call() {
  record_.is_grpc_call = is_grpc_call(record_.head);
  record_.grpc_timeout = record_.is_grpc_call ? grpc_timeout_of(record_.head) : std::nullopt;
}

/// Serves one request. A request may be held during this coroutine, so rarely needed parts have
/// their own frames.
http::Task<void> Session::serve() {
  if (counts_hops(record_.head)) {
    co_await answer_at_last_hop();
    if (is_settled()) co_return;
  }
  if (is_secure_) {
    if (std::optional<LocalReply> reply = reply_if_misdirected()) {
      co_return co_await send_local_reply(std::move(*reply));
    }
  }
  bool has_arrived = true;
  if (waits_for_body()) has_arrived = co_await read_small_body();
  if (has_arrived) co_await server_.handler.handle(exchange_);
  if (is_settled()) co_return;
  if (downstream_->peer_has_closed()) {
    // The caller cannot read a response, so the log and metrics get no status.
    record_.outcome.error = ErrorKind::kCancelled;
    co_return abort_exchange(AbortedBy::kDownstream);
  }
  co_await answer_unserved();
}

/// Replies to a request at its last hop; other requests are left unchanged.
http::Task<void> Session::answer_at_last_hop() {
  std::optional<LocalReply> last = local_reply_at_last_hop(record_.head);
  if (last) co_await send_local_reply(std::move(*last));
}

http::Task<void> Session::answer_unserved() {
  if (const Error* error = forwarder_.last_error()) return exchange_.send_local_reply(*error);
  return exchange_.send_local_reply(
      Error(ErrorKind::kSystem, "handler", "it ended without a response"));
}

void Session::pack() {
  http::BufferPool& buffers = server_.reactor.buffers();
  if (buffers.borrowed_heads() <= kUnpackedHeads) return;
  const char* const before = input_.view().data();
  input_.pack();
  record_.head.move(before, input_.view().data());
}

/// Returns true if the request should wait for its body. A request of a caller outside takes a
/// place in a queue, and a slot, once its body has arrived: whole if it fits into the block of its
/// head, else as much as fits. So slow callers hold no slots. If the length is unknown, or the
/// caller waits for a 100 response, it does not wait, because the caller may expect a response
/// meanwhile. docs/decisions/requests.md.
bool Session::waits_for_body() const {
  const http::RequestHead& head = record_.head;
  const bool is_limited = server_.options.reads_small_bodies && caller() == Peer::kOutside;
  if (!is_limited || !head.framing.content_length) return false;
  const std::size_t arrived = body_in_memory().size();
  return arrived < *head.framing.content_length && input_.has_room() &&
         !(head.expects_continue && arrived == 0);
}

/// Reads the body. Returns false if the request is settled, or its caller has disconnected. Without
/// a minimum rate it continues with the bytes it has after the time for a head.
http::Task<bool> Session::read_small_body() {
  const std::int64_t least = server_.options.min_body_rate;
  BodyRate rate(std::max<std::int64_t>(least, 1), record_.arrived);
  while (waits_for_body()) {
    const http::IoResult step = input_.fill(*downstream_);
    if (step.kind == Kind::kBytes) continue;
    if (step.kind != Kind::kWouldBlock || downstream_->was_reset()) {
      record_.outcome.error = ErrorKind::kCancelled;
      abort_exchange(AbortedBy::kDownstream);
      co_return false;
    }
    if (server_.is_cutting) break;
    waiter_.set_deadline(least > 0
                             ? rate.deadline(server_.reactor.now(), body_in_memory().size(), true)
                             : record_.arrived + server_.options.header_timeout);
    co_await waiter_.wait();
    if (!waiter_.is_overdue()) continue;
    if (least <= 0) break;
    LocalReply reply = local_reply_for(late_body_error());
    reply.close = true;
    record_.outcome.error = ErrorKind::kTimeout;
    co_await send_local_reply(std::move(reply));
    co_return false;
  }
  waiter_.clear_deadline();
  record_.arrived = server_.reactor.now();
  co_return true;
}

void Session::end_exchange() {
  phase_ = Phase::kNone;
  count_exchange();
  idle_since_ = record_.arrived + record_.outcome.total;
  if (!is_stream_) server_.idle.append(*this);
  if (read_ahead_) {
    input_.assign(*read_ahead_);
    read_ahead_.reset();
  } else {
    input_.consume(consumed_);
  }
  kept_.reset();
  listener_.exchange_ended();
}

void Session::count_exchange() {
  Outcome& outcome = record_.outcome;
  outcome.total = server_.reactor.now() - record_.arrived;
  ProxyCounters& counters = server_.counters;
  --counters.in_flight;
  ++counters.by_class[std::clamp(outcome.status / 100, 0, 5)];
  if (outcome.is_local_reply) ++counters.local_replies;
  if (outcome.aborted_by) ++counters.aborted[static_cast<std::size_t>(*outcome.aborted_by)];
  if (outcome.was_upgraded) ++counters.upgrades;
  if (server_.is_cutting && was_stopped(outcome)) ++counters.stopped;
  if (server_.observer) server_.observer(exchange_, outcome);
}

bool Session::may_keep_alive() const {
  return record_.head.keeps_alive() && !server_.is_leaving(*port_) && !server_.is_cutting &&
         !is_past_age();
}

void Session::settle(const Relay& relay) {
  phase_ = Phase::kSettled;
  record_.outcome.request_bytes = relay.request_bytes();
  record_.outcome.response_bytes = relay.response_bytes();
  if (relay.has_pulled_request()) {
    read_ahead_ = std::make_unique<std::string>(relay.request_read_ahead());
  } else {
    consumed_ = record_.head.size + static_cast<std::size_t>(relay.request_bytes());
  }
  keeps_alive_ = relay.can_reuse_downstream();
  // The rest of the request may still arrive, or bytes after it: an empty line (RFC 9112 2.2), or a
  // request that will not be read.
  if (!keeps_alive_) ending_ = Ending::kLinger;
}

void Session::abort_exchange(AbortedBy by) {
  phase_ = Phase::kSettled;
  keeps_alive_ = false;
  record_.outcome.aborted_by = by;
  ending_ = Ending::kReset;
}

/// Sends the end and continues to read for a while. A close while the caller still sends would
/// reset the connection, and lose the response in transit (RFC 9112 9.6).
http::Task<void> Session::linger() {
  downstream_->shutdown_write();
  waiter_.set_deadline(server_.reactor.now() + kLingerTime);
  std::size_t read = 0;
  input_.clear();
  while (!waiter_.is_overdue() && !server_.is_cutting && !was_replaced_ && read < kLingerBytes) {
    const http::IoResult step = input_.fill(*downstream_);
    if (step.kind == Kind::kEnd || step.kind == Kind::kFailed) break;
    if (step.kind == Kind::kWouldBlock) co_await waiter_.wait();
    read += step.bytes;
    input_.clear();
  }
}

}  // namespace bellows::proxy
