#include "http/io/service_server.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/system/system_error.hpp>
#include <list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/sys/clock.hpp"
#include "base/sys/log.hpp"
#include "http/io/listening_socket.hpp"
#include "http/io/service_message.hpp"
#include "http/io/socket_deadline.hpp"
#include "http/io/task_group.hpp"
#include "http/io/websocket_accept.hpp"

namespace bellows::http {

namespace {

namespace beast = boost::beast;
using RequestParser = beast::http::request_parser<beast::http::string_body>;
using BeastRequest = beast::http::request<beast::http::string_body>;
using BeastResponse = beast::http::response<beast::http::string_body>;
using ErrorCode = boost::system::error_code;

constexpr std::string_view kStopReason = "the server is stopping";

TimePoint now() {
  return sys::system_clock().now();
}

/// What a connection waits for.
enum class Phase : std::uint8_t {
  kIdle,       ///< its caller, for a whole request header -> kReceiving, kAnswering, kClosed
  kReceiving,  ///< its caller, for the body               -> kRunning, kAnswering, kClosed
  kRunning,    ///< a handler, or the end of a WebSocket   -> kAnswering
  kAnswering,  ///< its caller, who takes the answer       -> kIdle, kClosed
  kClosed,     ///< its end: another connection has its place
};

/// One accepted connection, as stop() and make_room() see it.
struct AcceptedConnection {
  StreamSocket socket;
  std::string peer;
  Phase phase = Phase::kIdle;
  TimePoint since = now();  ///< in this phase
  std::weak_ptr<WebSocket> websocket;

  void enter(Phase next) {
    if (phase != Phase::kClosed) phase = next;
    since = now();
  }
  bool waits_for_caller() const { return phase != Phase::kRunning && phase != Phase::kClosed; }
};

/// What a WebSocket handler is handed: stop() needs the same WebSocket.
class SharedWebSocket final : public WebSocket {
 public:
  explicit SharedWebSocket(std::shared_ptr<WebSocket> real) : real_(std::move(real)) {}
  Awaitable<Result<std::string>> read() override { return real_->read(); }
  Awaitable<Result<void>> write(std::string_view message) override { return real_->write(message); }
  Awaitable<void> close(std::string_view reason) override { return real_->close(reason); }
  std::string peer() const override { return real_->peer(); }

 private:
  std::shared_ptr<WebSocket> real_;  // owners: this, its connection, stop() while it closes it
};

bool has_one_host(const BeastRequest& message) {
  constexpr unsigned kHttp11 = 11;
  const std::size_t count = message.count(beast::http::field::host);
  return count == 1 || (count == 0 && message.version() < kHttp11);
}

std::string_view path_of(const BeastRequest& message) {
  const std::string_view target(message.target().data(), message.target().size());
  return target.substr(0, target.find('?'));
}

Request to_request(BeastRequest message) {
  Request request;
  request.method = std::string(message.method_string());
  const std::string target(message.target());
  request.path = std::string(path_of(message));
  if (request.path.size() < target.size()) request.query = target.substr(request.path.size() + 1);
  for (const auto& field : message)
    request.headers.emplace_back(field.name_string(), field.value());
  request.body = std::move(message.body());
  return request;
}

BeastResponse to_message(Response response, unsigned version, bool is_kept_alive, bool is_head) {
  constexpr int kNoContent = 204;
  constexpr int kNotModified = 304;
  BeastResponse message;
  message.version(version);
  message.result(static_cast<unsigned>(response.status));
  message.set(beast::http::field::content_type, response.content_type);
  for (const auto& [name, value] : response.headers) message.set(name, value);
  message.keep_alive(is_kept_alive);
  if (response.status == kNoContent || response.status == kNotModified) return message;
  message.content_length(response.body.size());
  if (!is_head) message.body() = std::move(response.body);
  return message;
}

bool is_out_of_descriptors(const ErrorCode& error) {
  return error == net::error::no_descriptors || error == net::error::no_memory ||
         error == net::error::no_buffer_space ||
         error == boost::system::errc::too_many_files_open_in_system;
}

}  // namespace

class ServiceServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(net::io_context& io, ServiceServerOptions options)
      : io_(io), options_(options), room_(io, Timer::time_point::max()), tasks_(io) {}

  Routes& routes() { return routes_; }
  Result<Endpoint> listen(const Endpoint& endpoint);
  Awaitable<void> stop(TimePoint deadline);
  void cut();

 private:
  Awaitable<void> accept_from(ListeningSocket& listening);
  Awaitable<void> make_room();
  void close_who_waits_longest();
  void start(StreamSocket socket);
  Awaitable<void> serve(AcceptedConnection& connection);
  Awaitable<bool> serve_request(AcceptedConnection& connection, RequestParser& parser,
                                beast::flat_buffer& buffer, SocketDeadline& patience);
  Awaitable<bool> read_body(AcceptedConnection& connection, RequestParser& parser,
                            beast::flat_buffer& buffer);
  Awaitable<Response> respond(const AcceptedConnection& connection, const Routes::Match& match,
                              Request request);
  Awaitable<Response> call(const AcceptedConnection& connection, const Handler& handler,
                           Request request);
  Awaitable<void> serve_websocket(AcceptedConnection& connection, Request request,
                                  const WebSocketHandler& handler);
  Awaitable<bool> send(AcceptedConnection& connection, BeastResponse message);
  Awaitable<void> refuse(AcceptedConnection& connection, std::optional<Response> response);
  void end_connections();

  net::io_context& io_;
  ServiceServerOptions options_;
  Routes routes_;
  std::list<ListeningSocket> listening_;       // a list: accept loops hold references
  std::list<AcceptedConnection> connections_;  // a list: their tasks hold references
  Timer room_;  // never expires; cancelled when there may be room for one more connection
  bool is_stopping_ = false;
  bool is_cut_ = false;
  TaskGroup tasks_;
};

Result<Endpoint> ServiceServer::Impl::listen(const Endpoint& endpoint) {
  BELLOWS_TRY(ListeningSocket opened,
              ListeningSocket::open(io_, endpoint, static_cast<mode_t>(options_.unix_socket_mode)));
  ListeningSocket& listening = listening_.emplace_back(std::move(opened));
  tasks_.spawn("accept on " + to_string(listening.endpoint()),
               [self = shared_from_this(), &listening] { return self->accept_from(listening); });
  return listening.endpoint();
}

Awaitable<void> ServiceServer::Impl::accept_from(ListeningSocket& listening) {
  constexpr Duration kPause = std::chrono::milliseconds(50);
  bool is_exhausted = false;
  while (!is_stopping_) {
    StreamSocket socket(io_);
    ErrorCode error;
    co_await listening.acceptor().async_accept(socket, awaiting(error));
    if (is_stopping_) co_return;
    if (!error) {
      is_exhausted = false;
      co_await make_room();
      if (is_stopping_) co_return;
      start(std::move(socket));
    } else if (is_out_of_descriptors(error)) {
      // The connection stays in the backlog; without a pause this would spin until one is free.
      if (!std::exchange(is_exhausted, true)) {
        sys::log::warning(
            "cannot accept connections",
            {{"address", to_string(listening.endpoint())}, {"because", error.message()}});
      }
      co_await sleep_for(kPause);
    }
  }
}

/// Returns once one more connection is within the limit, or the server stops.
Awaitable<void> ServiceServer::Impl::make_room() {
  while (connections_.size() >= options_.max_connections && !is_stopping_) {
    close_who_waits_longest();
    ErrorCode woken;
    co_await room_.async_wait(awaiting(woken));
  }
}

/// Unless one that was closed before is still leaving.
void ServiceServer::Impl::close_who_waits_longest() {
  AcceptedConnection* chosen = nullptr;
  for (AcceptedConnection& connection : connections_) {
    if (connection.phase == Phase::kClosed) return;
    if (!connection.waits_for_caller()) continue;
    if (chosen == nullptr || connection.since < chosen->since) chosen = &connection;
  }
  if (chosen == nullptr) return;
  sys::log::debug("a connection makes room for another", {{"peer", chosen->peer}});
  chosen->enter(Phase::kClosed);
  ErrorCode ignored;
  chosen->socket.close(ignored);
}

void ServiceServer::Impl::start(StreamSocket socket) {
  prepare_socket(socket);
  std::string peer = peer_name(socket);
  const auto connection = connections_.insert(
      connections_.end(),
      AcceptedConnection{.socket = std::move(socket), .peer = peer, .websocket = {}});
  tasks_.spawn("connection of " + peer,
               [self = shared_from_this(), connection]() -> Awaitable<void> {
                 struct Removal {
                   Impl& server;
                   std::list<AcceptedConnection>::iterator it;
                   ~Removal() {
                     server.connections_.erase(it);
                     server.room_.cancel();
                   }
                 };
                 const Removal removal{.server = *self, .it = connection};
                 co_await self->serve(*connection);
               });
}

Awaitable<void> ServiceServer::Impl::serve(AcceptedConnection& connection) {
  beast::flat_buffer buffer;
  SocketDeadline patience(connection.socket, now() + options_.idle_timeout);
  bool is_kept_alive = true;
  while (is_kept_alive && !is_stopping_) {
    patience.move_to(now() + options_.idle_timeout);
    RequestParser parser;
    parser.header_limit(static_cast<std::uint32_t>(options_.max_header_bytes));
    parser.body_limit(options_.max_body_bytes);
    ErrorCode error;
    co_await beast::http::async_read_header(connection.socket, buffer, parser, awaiting(error));
    if (connection.phase == Phase::kClosed) co_return;
    if (error)
      co_return co_await refuse(connection,
                                refusal(error, options_.max_header_bytes, options_.max_body_bytes));
    connection.enter(Phase::kReceiving);
    is_kept_alive = co_await serve_request(connection, parser, buffer, patience);
    connection.enter(Phase::kIdle);
  }
}

/// Whether the connection can take another request.
Awaitable<bool> ServiceServer::Impl::serve_request(AcceptedConnection& connection,
                                                   RequestParser& parser,
                                                   beast::flat_buffer& buffer,
                                                   SocketDeadline& patience) {
  const BeastRequest& head = parser.get();
  if (!has_one_host(head)) {
    co_await refuse(connection, text_response(400, "Malformed request: want one Host header."));
    co_return false;
  }
  const std::string method(head.method_string());
  const bool wants_websocket = beast::websocket::is_upgrade(head);
  const Routes::Match match = routes_.find(method, path_of(head), wants_websocket);
  if (const auto* handler = std::get_if<const WebSocketHandler*>(&match)) {
    if (buffer.size() != 0) {
      co_await refuse(connection,
                      text_response(400, "Malformed request: data before the upgrade."));
      co_return false;
    }
    patience.disarm();
    connection.enter(Phase::kRunning);
    co_await serve_websocket(connection, to_request(parser.release()), **handler);
    co_return false;
  }
  if (!std::holds_alternative<const Handler*>(match) && !parser.is_done()) {
    Response nobodys = co_await respond(connection, match, to_request(parser.get()));
    if (method == "HEAD") nobodys.body.clear();
    co_await refuse(connection, std::move(nobodys));
    co_return false;
  }
  const bool is_whole = co_await read_body(connection, parser, buffer);
  if (!is_whole || connection.phase == Phase::kClosed) co_return false;
  patience.disarm();
  connection.enter(Phase::kRunning);
  const bool is_kept_alive = head.keep_alive();
  const unsigned version = head.version();
  Response response = co_await respond(connection, match, to_request(parser.release()));
  patience.move_to(now() + options_.idle_timeout);
  connection.enter(Phase::kAnswering);
  room_.cancel();
  co_return co_await send(connection, to_message(std::move(response), version,
                                                 is_kept_alive && !is_stopping_, method == "HEAD"));
}

Awaitable<bool> ServiceServer::Impl::read_body(AcceptedConnection& connection,
                                               RequestParser& parser, beast::flat_buffer& buffer) {
  constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const auto expect = parser.get()[beast::http::field::expect];
  ErrorCode error;
  if (!parser.is_done() && beast::iequals(expect, "100-continue"))
    co_await net::async_write(connection.socket, net::buffer(kContinue), awaiting(error));
  if (!error && !parser.is_done())
    co_await beast::http::async_read(connection.socket, buffer, parser, awaiting(error));
  if (error)
    co_await refuse(connection, refusal(error, options_.max_header_bytes, options_.max_body_bytes));
  co_return !error;
}

Awaitable<Response> ServiceServer::Impl::respond(const AcceptedConnection& connection,
                                                 const Routes::Match& match, Request request) {
  if (const auto* handler = std::get_if<const Handler*>(&match))
    co_return co_await call(connection, **handler, std::move(request));
  if (const auto* wrong = std::get_if<Routes::MethodNotAllowed>(&match)) {
    Response response = text_response(
        405, request.path + " takes " + wrong->allowed + ", not " + request.method + ".");
    response.headers.emplace_back("Allow", wrong->allowed);
    co_return response;
  }
  if (std::holds_alternative<Routes::WebSocketOnly>(match)) {
    Response response = text_response(426, request.path + " takes WebSockets only.");
    response.headers.emplace_back("Upgrade", "websocket");
    co_return response;
  }
  co_return text_response(404, "There is no page " + request.path + " here.");
}

Awaitable<Response> ServiceServer::Impl::call(const AcceptedConnection& connection,
                                              const Handler& handler, Request request) {
  const std::string page = request.method + " " + request.path;
  std::string defect;
  try {
    Response response = co_await handler(std::move(request));
    defect = defect_of(response);
    if (defect.empty()) co_return response;
  } catch (const std::exception& exception) {
    if (is_cut_) throw;  // the handler leaves because it was cancelled
    defect = exception.what();
  } catch (...) {
    if (is_cut_) throw;
    defect = "an exception that is not a std::exception";
  }
  sys::log::error("a handler failed",
                  {{"page", page}, {"peer", connection.peer}, {"because", defect}});
  co_return text_response(500, "Internal error in the handler of " + page + "; see the log.");
}

Awaitable<void> ServiceServer::Impl::serve_websocket(AcceptedConnection& connection,
                                                     Request request,
                                                     const WebSocketHandler& handler) {
  auto accepted = co_await accept_websocket(std::move(connection.socket), std::move(request),
                                            options_.websocket);
  if (!accepted) {
    sys::log::debug("no WebSocket", {{"error", to_string(accepted.error())}});
    co_return;
  }
  const std::shared_ptr<WebSocket> websocket = std::move(*accepted);
  connection.websocket = websocket;
  if (is_stopping_) co_return co_await websocket->close(kStopReason);
  std::string defect;
  try {
    co_await handler(std::make_unique<SharedWebSocket>(websocket));
    co_return;
  } catch (const std::exception& exception) {
    if (is_cut_) throw;
    defect = exception.what();
  } catch (...) {
    if (is_cut_) throw;
    defect = "an exception that is not a std::exception";
  }
  sys::log::error("a WebSocket handler failed", {{"peer", connection.peer}, {"because", defect}});
  co_await websocket->close("internal error");
}

Awaitable<bool> ServiceServer::Impl::send(AcceptedConnection& connection, BeastResponse message) {
  ErrorCode error;
  co_await beast::http::async_write(connection.socket, message, awaiting(error));
  co_return !error && message.keep_alive();
}

/// Answers and ends a connection whose request was not read to its end.
Awaitable<void> ServiceServer::Impl::refuse(AcceptedConnection& connection,
                                            std::optional<Response> response) {
  constexpr unsigned kHttp11 = 11;
  constexpr Duration kLinger = std::chrono::seconds(1);
  if (!response) co_return;
  connection.enter(Phase::kAnswering);
  const SocketDeadline patience(connection.socket, now() + kLinger);
  co_await send(connection, to_message(std::move(*response), kHttp11, false, false));
  // To close with unread bytes would reset the connection and take the answer away with it.
  ErrorCode error;
  connection.socket.shutdown(net::socket_base::shutdown_send, error);
  std::array<char, 4096> rest{};
  while (!error) co_await connection.socket.async_read_some(net::buffer(rest), awaiting(error));
}

void ServiceServer::Impl::end_connections() {
  for (AcceptedConnection& connection : connections_) {
    ErrorCode ignored;
    if (connection.phase == Phase::kIdle) connection.socket.close(ignored);
    if (const auto websocket = connection.websocket.lock()) {
      tasks_.spawn("close WebSocket of " + connection.peer,
                   [websocket]() -> Awaitable<void> { co_await websocket->close(kStopReason); });
    }
  }
}

Awaitable<void> ServiceServer::Impl::stop(TimePoint deadline) {
  constexpr Duration kLeave = std::chrono::seconds(1);
  is_stopping_ = true;
  for (ListeningSocket& listening : listening_) listening.close();
  room_.cancel();
  end_connections();
  const Result<void> ended = co_await tasks_.join(deadline);
  if (ended) co_return;
  sys::log::warning("connections are cut", {{"because", to_string(ended.error())}});
  is_cut_ = true;
  tasks_.stop();
  const Result<void> left = co_await tasks_.join(now() + kLeave);
  if (!left) sys::log::error("a handler does not leave", {{"error", to_string(left.error())}});
}

void ServiceServer::Impl::cut() {
  is_stopping_ = true;
  is_cut_ = true;
  for (ListeningSocket& listening : listening_) listening.close();
  tasks_.stop();
}

ServiceServer::ServiceServer(net::io_context& io, ServiceServerOptions options)
    : impl_(std::make_shared<Impl>(io, options)) {}

ServiceServer::~ServiceServer() {
  impl_->cut();
}

void ServiceServer::route(std::string method, std::string path, Handler handler) {
  impl_->routes().add(std::move(method), std::move(path), std::move(handler));
}

void ServiceServer::websocket(std::string path, WebSocketHandler handler) {
  impl_->routes().add_websocket(std::move(path), std::move(handler));
}

Result<Endpoint> ServiceServer::listen(const Endpoint& endpoint) {
  return impl_->listen(endpoint);
}

Awaitable<void> ServiceServer::stop(TimePoint deadline) {
  return impl_->stop(deadline);
}

}  // namespace bellows::http
