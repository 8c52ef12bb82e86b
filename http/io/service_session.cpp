#include "http/io/service_session.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <utility>
#include <variant>

#include "base/sys/log.hpp"
#include "http/core/chunk_scanner.hpp"
#include "http/io/service_message.hpp"
#include "http/io/wait_for.hpp"
#include "http/io/websocket_accept.hpp"

namespace bellows::http {

namespace {

HeadLimits head_limits(std::size_t max_header_bytes) {
  const auto bytes =
      static_cast<std::uint32_t>(std::min<std::size_t>(max_header_bytes, kMaxHeadLimits.total));
  return {.fields = kMaxServiceFields, .line = bytes, .total = bytes};
}

/// The WebSocket that a handler gets; it shares the real one with stop().
class SharedWebSocket final : public WebSocket {
 public:
  explicit SharedWebSocket(std::shared_ptr<WebSocket> real) : real_(std::move(real)) {}
  Awaitable<Result<std::string>> read() override { return real_->read(); }
  Awaitable<Result<void>> write(std::string_view message) override { return real_->write(message); }
  Awaitable<void> close(std::string_view reason) override { return real_->close(reason); }
  void set_liveness(Duration ping_after, Duration dead_after) override {
    real_->set_liveness(ping_after, dead_after);
  }
  std::string peer() const override { return real_->peer(); }
  std::string parameter(std::string_view name) const override { return real_->parameter(name); }
  std::string bearer() const override { return real_->bearer(); }

 private:
  std::shared_ptr<WebSocket> real_;  // owners: this, run_websocket(), stop() while it closes it
};

/// Returns the message of the exception being handled. Rethrows the exception if a stopped group
/// caused it.
std::string describe_exception(const ServiceHandlers& handlers) {
  if (handlers.is_aborted) throw;
  try {
    throw;
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

Awaitable<Response> run_handler(std::shared_ptr<ServiceHandlers> handlers, const Handler& handler,
                                Request request, std::string peer) {
  const std::string page = request.method + " " + request.path;
  std::string defect;
  try {
    Response response = co_await handler(std::move(request));
    defect = defect_of(response);
    if (defect.empty()) co_return response;
  } catch (...) {
    defect = describe_exception(*handlers);
  }
  sys::log::error("a handler failed", {{"page", page}, {"peer", peer}, {"because", defect}});
  co_return text_response(500, "Internal error in the handler of " + page + "; see the log.");
}

/// Always returns true, because a Task waits for a value.
Awaitable<bool> run_websocket(std::shared_ptr<ServiceHandlers> handlers,
                              const WebSocketHandler& handler, ByteStream stream, Request request,
                              WebSocketOptions options) {
  auto accepted = co_await accept_websocket(std::move(stream), std::move(request), options);
  if (!accepted) {
    sys::log::debug("no WebSocket", {{"error", to_string(accepted.error())}});
    co_return true;
  }
  const std::shared_ptr<WebSocket> websocket = std::move(*accepted);
  if (handlers->is_stopping) {
    co_await websocket->close(kServerIsStopping);
    co_return true;
  }
  std::erase_if(handlers->websockets, [](const auto& each) { return each.expired(); });
  handlers->websockets.push_back(websocket);
  std::string defect;
  try {
    co_await handler(std::make_unique<SharedWebSocket>(websocket));
    co_return true;
  } catch (...) {
    defect = describe_exception(*handlers);
  }
  sys::log::error("a WebSocket handler failed", {{"peer", websocket->peer()}, {"because", defect}});
  co_await websocket->close("internal error");
  co_return true;
}

/// Returns the response to a request without a handler.
Response unhandled_response(const Routes::Match& match, const Request& request) {
  if (const auto* wrong = std::get_if<Routes::MethodNotAllowed>(&match)) {
    Response response = text_response(
        405, request.path + " takes " + wrong->allowed + ", not " + request.method + ".");
    response.headers.emplace_back("Allow", wrong->allowed);
    return response;
  }
  if (std::holds_alternative<Routes::WebSocketOnly>(match)) {
    Response response = text_response(426, request.path + " takes WebSockets only.");
    response.headers.emplace_back("Upgrade", "websocket");
    return response;
  }
  return text_response(404, "There is no page " + request.path + " here.");
}

/// Returns the transport of a connection. `text` is address_text(peer).
Transport transport_of(const SocketAddress& peer, std::string_view text) {
  if (peer.is_unix()) return Transport::kUnix;
  const bool is_loopback = text.starts_with("127.") || text.starts_with("[::1]:");
  return is_loopback ? Transport::kLoopback : Transport::kTcp;
}

}  // namespace

ServiceSession::ServiceSession(ServiceState& state, Reactor& reactor, Waiter& changed,
                               sys::Descriptor socket, const SocketAddress& peer)
    : state_(state),
      reactor_(reactor),
      changed_(changed),
      peer_(address_text(peer)),
      family_(peer.storage.ss_family),
      transport_(transport_of(peer, peer_)),
      waiter_(reactor),
      connection_(connect(std::move(socket))),
      since_(reactor.now()),
      limits_(head_limits(state.options.max_header_bytes)),
      parser_(limits_) {
  connection_->set_waiter(&waiter_);
}

/// Returns a closed connection if TLS cannot start.
std::unique_ptr<SocketConnection> ServiceSession::connect(sys::Descriptor socket) {
  TlsContext* const tls = state_.options.tls;
  if (tls == nullptr) return std::make_unique<SocketConnection>(reactor_, std::move(socket));
  auto session = tls->start({});
  if (!session) {
    sys::log::error("no TLS session", {{"error", to_string(session.error())}});
    return std::make_unique<SocketConnection>(reactor_, sys::Descriptor());
  }
  auto connection = std::make_unique<TlsConnection>(
      reactor_, std::move(socket), std::move(*session),
      TlsConnectionOptions{
          .handshake_timeout = state_.options.idle_timeout, .counters = nullptr, .peer = peer_});
  tls_ = connection.get();
  return connection;
}

void ServiceSession::start() {
  task_ = run();
  task_.start();
}

Task<void> ServiceSession::run() {
  bool keeps_alive = connection_->is_open();
  while (keeps_alive && !state_.handlers->is_stopping) {
    keeps_alive = co_await serve_request();
    enter(Phase::kIdle);
  }
  connection_->close();
  changed_.wake();
}

/// Returns true if the connection may take another request.
Task<bool> ServiceSession::serve_request() {
  expect_client(state_.options.idle_timeout);
  const bool has_head = co_await read_head();
  if (!has_head) co_return false;
  enter(Phase::kReceiving);
  if (const auto refused = access_refusal()) {
    co_await reject(text_response(403, *refused));
    co_return false;
  }
  Incoming incoming = take_head();
  Request& request = incoming.request;
  const bool is_head = request.method == "HEAD";
  const Routes::Match match =
      state_.handlers->routes.find(request.method, request.path, incoming.is_websocket);
  if (const auto* handler = std::get_if<const WebSocketHandler*>(&match)) {
    co_await serve_websocket(**handler, std::move(request));
    co_return false;
  }
  if (const auto* source = std::get_if<const EventSource*>(&match)) {
    co_await serve_events(**source, incoming);
    co_return false;
  }
  const auto* handler = std::get_if<const Handler*>(&match);
  if (handler == nullptr && incoming.framing.end != BodyEnd::kNone) {
    Response response = unhandled_response(match, request);
    if (is_head) response.body.clear();
    co_await reject(std::move(response));
    co_return false;
  }
  const bool is_whole = co_await read_body(incoming);
  if (!is_whole) co_return false;
  Response response;
  if (handler == nullptr) {
    response = unhandled_response(match, request);
  } else {
    response = co_await call(**handler, std::move(request));
  }
  const bool goes_on = co_await respond(std::move(response), incoming, is_head);
  co_return goes_on;
}

Task<void> ServiceSession::serve_events(const EventSource& source, const Incoming& incoming) {
  const std::unique_ptr<EventFeed> feed = source(incoming.request);
  if (feed) {
    co_await stream_events(*feed, incoming.minor_version);
    co_return;
  }
  Response full =
      text_response(503, "There are too many streams of " + incoming.request.path + ".");
  co_await reject(std::move(full));
}

Task<bool> ServiceSession::respond(Response response, const Incoming& incoming, bool is_head) {
  response.body = shown(std::move(response.body));
  expect_client(state_.options.idle_timeout);
  enter(Phase::kResponding);
  const bool keeps_alive = incoming.keeps_alive && !state_.handlers->is_stopping;
  const std::string bytes = serialize(
      response,
      {.minor_version = incoming.minor_version, .keep_alive = keeps_alive, .omit_body = is_head});
  const bool is_sent = co_await write_all(bytes);
  co_return is_sent&& keeps_alive;
}

/// Returns false if no request will follow: the client has disconnected, is too slow or was
/// rejected.
Task<bool> ServiceSession::read_head() {
  parser_.reset();
  for (;;) {
    const HeadResult result = parser_.read(input_, head_);
    if (result.is_complete()) co_return true;
    if (const auto fault = result.fault()) {
      co_await reject(head_error_response(*fault, limits_));
      co_return false;
    }
    const Input input = co_await read_more();
    if (input == Input::kEnd) co_return false;
  }
}

std::optional<std::string> ServiceSession::access_refusal() const {
  if (!state_.options.access) return std::nullopt;
  return refusal(*state_.options.access, head_, transport_, is_websocket_upgrade(head_));
}

bool ServiceSession::may_see_detail() const {
  return !state_.options.access || http::may_see_detail(*state_.options.access, head_, transport_);
}

std::string ServiceSession::shown(std::string text) const {
  if (state_.options.withhold != nullptr && !sees_detail_) state_.options.withhold(text);
  return text;
}

/// Copies what was read into its own memory, because reading the body may move the buffer.
ServiceSession::Incoming ServiceSession::take_head() {
  Incoming incoming{.request = to_request(head_),
                    .framing = request_body(head_),
                    .minor_version = head_.minor_version,
                    .keeps_alive = head_.keeps_alive(),
                    .expects_continue = head_.expects_continue,
                    .is_websocket = is_websocket_upgrade(head_)};
  incoming.request.may_see_detail = sees_detail_ = may_see_detail();
  input_.erase(0, head_.size);
  return incoming;
}

/// Returns false if the body will never be complete.
Task<bool> ServiceSession::read_body(Incoming& incoming) {
  const BodyFraming framing = incoming.framing;
  if (framing.end == BodyEnd::kNone) co_return true;
  if (framing.length > state_.options.max_body_bytes) {
    co_await reject(body_limit_response(state_.options.max_body_bytes));
    co_return false;
  }
  if (incoming.expects_continue && input_.empty()) {
    const bool is_sent = co_await write_all("HTTP/1.1 100 Continue\r\n\r\n");
    if (!is_sent) co_return false;
  }
  if (framing.end == BodyEnd::kChunked) {
    const bool is_whole = co_await read_chunks(incoming.request.body);
    co_return is_whole;
  }
  while (input_.size() < framing.length) {
    const Input input = co_await read_more();
    if (input == Input::kEnd) co_return false;
  }
  const auto length = static_cast<std::size_t>(framing.length);
  incoming.request.body = input_.substr(0, length);
  input_.erase(0, length);
  co_return true;
}

Task<bool> ServiceSession::read_chunks(std::string& body) {
  ChunkScanner scanner;
  for (;;) {
    std::string_view bytes = input_;
    for (std::string_view run = scanner.next_data(bytes); !run.empty();
         run = scanner.next_data(bytes)) {
      body += run;
    }
    input_.erase(0, input_.size() - bytes.size());
    if (scanner.is_broken()) {
      co_await reject(text_response(
          400, "Malformed request: " + std::string(fault_text(scanner.fault())) + "."));
      co_return false;
    }
    if (body.size() > state_.options.max_body_bytes) {
      co_await reject(body_limit_response(state_.options.max_body_bytes));
      co_return false;
    }
    if (scanner.is_complete()) co_return true;
    const Input input = co_await read_more();
    if (input == Input::kEnd) co_return false;
  }
}

Task<Response> ServiceSession::call(const Handler& handler, Request request) {
  waiter_.clear_deadline();
  enter(Phase::kRunning);
  std::string name = request.method + " " + request.path + " of " + peer_;
  // The handlers own the routes, so `handler` lives as long as its caller.
  std::function<Awaitable<Response>()> run =
      [handlers = state_.handlers, &handler, request = std::move(request), peer = peer_]() mutable {
        return run_handler(handlers, handler, std::move(request), std::move(peer));
      };
  Response response =
      co_await wait_for<Response>(waiter_, state_.tasks, std::move(name), std::move(run));
  co_return response;
}

/// Returns when its client disconnects or the server stops.
Task<void> ServiceSession::stream_events(EventFeed& feed, int minor_version) {
  /// Interval of writes, so that a lost client is noticed.
  constexpr Duration kAtLeastEvery = std::chrono::seconds(15);
  enter(Phase::kStreaming);
  std::string text = events_head(minor_version);
  TimePoint quiet_since = reactor_.now();
  for (;;) {
    text += shown(feed.next());
    if (text.empty() && reactor_.now() - quiet_since >= kAtLeastEvery) text = ": still here\n\n";
    if (!text.empty()) {
      expect_client(state_.options.idle_timeout);
      const bool is_sent = co_await write_all(text);
      if (!is_sent) co_return;
      text.clear();
      quiet_since = reactor_.now();
    }
    const bool is_there = co_await wait_for_event();
    if (!is_there) co_return;
  }
}

/// Returns true when the next event is due, false if the client has disconnected or sends
/// unexpected bytes.
Task<bool> ServiceSession::wait_for_event() {
  expect_client(kEventPeriod);
  for (;;) {
    co_await waiter_.wait();
    if (connection_->was_reset()) co_return false;
    char byte = 0;
    if (connection_->try_read(&byte, 1).kind != IoResult::Kind::kWouldBlock) co_return false;
    if (waiter_.is_overdue()) co_return true;
  }
}

Task<void> ServiceSession::serve_websocket(const WebSocketHandler& handler, Request request) {
  if (!input_.empty()) {
    co_await reject(text_response(400, "Malformed request: data before the upgrade."));
    co_return;
  }
  waiter_.clear_deadline();
  enter(Phase::kRunning);
  StreamSocket socket(state_.io);
  boost::system::error_code error;
  sys::Descriptor detached = connection_->detach();
  socket.assign(net::generic::stream_protocol(family_, 0), detached.get(), error);
  if (error) co_return;
  detached.release();
  // The task of the stream copies the callable.
  const auto stream = std::make_shared<ByteStream>(
      std::move(socket), tls_ == nullptr ? nullptr : tls_->release_session());
  std::string name = "WebSocket of " + peer_;
  std::function<Awaitable<bool>()> run = [handlers = state_.handlers, &handler, stream,
                                          request = std::move(request),
                                          options = state_.options.websocket]() mutable {
    return run_websocket(handlers, handler, std::move(*stream), std::move(request), options);
  };
  co_await wait_for<bool>(waiter_, state_.tasks, std::move(name), std::move(run));
}

/// Responds to, and ends, a connection whose request was not read to its end.
Task<void> ServiceSession::reject(Response response) {
  constexpr Duration kLinger = std::chrono::seconds(1);
  enter(Phase::kResponding);
  expect_client(kLinger);
  const std::string bytes = serialize(response, {});
  const bool is_sent = co_await write_all(bytes);
  if (!is_sent) co_return;
  // A close with unread bytes would reset the connection and lose the response in transit.
  connection_->shutdown_write();
  Input input = Input::kBytes;
  while (input == Input::kBytes) {
    input_.clear();
    input = co_await read_more();
  }
}

/// Returns kEnd if the client has closed or its time is over.
Task<ServiceSession::Input> ServiceSession::read_more() {
  constexpr std::size_t kStep = 4096;
  for (;;) {
    const std::size_t size = input_.size();
    input_.resize(size + kStep);
    const IoResult got = connection_->try_read(input_.data() + size, kStep);
    input_.resize(size + got.bytes);
    if (got.kind == IoResult::Kind::kBytes) co_return Input::kBytes;
    if (got.kind != IoResult::Kind::kWouldBlock) co_return Input::kEnd;
    co_await waiter_.wait();
    if (waiter_.is_overdue()) co_return Input::kEnd;
  }
}

/// Returns false if the client has disconnected or does not read.
Task<bool> ServiceSession::write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const IoResult sent = connection_->try_write(bytes);
    if (sent.kind == IoResult::Kind::kFailed) co_return false;
    bytes.remove_prefix(sent.bytes);
    if (sent.kind == IoResult::Kind::kBytes) continue;  // TLS writes a record at a time
    co_await waiter_.wait();
    if (waiter_.is_overdue() || connection_->was_reset()) co_return false;
  }
  co_return true;
}

void ServiceSession::enter(Phase phase) {
  phase_ = phase;
  since_ = reactor_.now();
  if (phase != Phase::kRunning) changed_.wake();
}

void ServiceSession::expect_client(Duration timeout) {
  waiter_.set_deadline(reactor_.now() + timeout);
}

}  // namespace bellows::http
