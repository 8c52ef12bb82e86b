#include "http/io/websocket.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <optional>
#include <utility>

#include "base/duration_text.hpp"
#include "base/lifetime.hpp"
#include "base/sys/clock.hpp"
#include "http/core/head.hpp"
#include "http/io/connect.hpp"
#include "http/io/socket_deadline.hpp"
#include "http/io/websocket_accept.hpp"

namespace bellows::http {

using ErrorCode = boost::system::error_code;

namespace {

namespace beast = boost::beast;

/// Reads until the other side has closed, and closes then.
struct Teardown {
  ByteStream& stream;
  bool is_server;
  IoHandler done;
  std::unique_ptr<std::array<char, 2048>> bytes;  // discarded

  static void read(Teardown self) {
    const auto buffer = net::buffer(*self.bytes);
    ByteStream& stream = self.stream;
    const net::cancellation_slot slot = self.done.get_cancellation_slot();
    stream.async_read_some(
        buffer, net::bind_cancellation_slot(
                    slot, [self = std::move(self)](const ErrorCode& error, std::size_t) mutable {
                      if (!error) return read(std::move(self));
                      if (error == net::error::eof) {
                        if (!self.is_server) self.stream.shutdown_write();
                        self.stream.close();
                        return self.done({}, 0);
                      }
                      self.done(error, 0);
                    }));
  }
};

}  // namespace

// Beast finds it by overload: the end of a WebSocket's connection (RFC 6455 7.1.1: the server
// closes first).
template <class Handler>
void async_teardown(beast::role_type role, ByteStream& stream, Handler&& handler) {
  const bool is_server = role == beast::role_type::server;
  if (is_server) stream.shutdown_write();
  const net::cancellation_slot slot = net::get_associated_cancellation_slot(handler);
  IoHandler done(net::bind_cancellation_slot(
      slot, [kept = std::forward<Handler>(handler)](const ErrorCode& error, std::size_t) mutable {
        kept(error);
      }));
  Teardown::read({.stream = stream,
                  .is_server = is_server,
                  .done = std::move(done),
                  .bytes = std::make_unique<std::array<char, 2048>>()});
}

void beast_close_socket(ByteStream& stream) {
  stream.close();
}

namespace {

constexpr bool kWithDeflate = false;
using Stream = beast::websocket::stream<ByteStream, kWithDeflate>;

constexpr std::size_t kMaxReasonBytes = 123;  // RFC 6455, 5.5

TimePoint now() {
  return sys::system_clock().now();
}

/// Truncates between characters: a close frame with half a character is malformed.
std::string_view fitting_reason(std::string_view reason) {
  if (reason.size() <= kMaxReasonBytes) return reason;
  std::size_t size = kMaxReasonBytes;
  while (size > 0 && (static_cast<unsigned char>(reason[size]) & 0xc0U) == 0x80U) --size;
  return reason.substr(0, size);
}

/// Marks a read or a write as pending, and when it began.
class Turn {
 public:
  explicit Turn(std::optional<TimePoint>& since) : since_(since) { since_ = now(); }
  ~Turn() { since_.reset(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::optional<TimePoint>& since_;
};

const std::string kBearer = "Bearer ";

std::string bearer_of(const Request& request) {
  for (const auto& [name, value] : request.headers) {
    const bool is_it = equals_lower(name, "authorization") && value.starts_with(kBearer);
    if (is_it) return value.substr(kBearer.size());
  }
  return {};
}

/// Forwards the cancellation of a coroutine to one operation, every few milliseconds until that
/// ends, because Beast's read loses a cancellation that arrives after it wrote a pong and before
/// its next read.
class Cancellation {
 public:
  explicit Cancellation(const Executor& executor) : timer_(executor) {}

  net::cancellation_slot slot() { return signal_.slot(); }

  /// Forwards, until end(), a cancellation of the coroutine whose slot this is to slot().
  void begin(net::cancellation_slot coroutine) {
    if (!coroutine.is_connected()) return;
    coroutine.assign([this](net::cancellation_type type) { emit(type); });
  }

  void end() { timer_.cancel(); }

 private:
  void emit(net::cancellation_type type) {
    constexpr std::chrono::milliseconds kAgain(5);
    signal_.emit(type);
    timer_.expires_after(kAgain);
    timer_.async_wait(lifetime_.bind([this, type](const ErrorCode& error) {
      if (!error) emit(type);
    }));
  }

  net::cancellation_signal signal_;
  AsioTimer timer_;
  Lifetime lifetime_;
};

class BeastWebSocket final : public WebSocket {
 public:
  BeastWebSocket(ByteStream stream, std::string peer, WebSocketOptions options)
      : stream_(std::move(stream)),
        reading_cancellation_(stream_.get_executor()),
        watch_timer_(stream_.get_executor()),
        peer_(std::move(peer)),
        options_(std::move(options)) {
    stream_.binary(true);
    stream_.auto_fragment(false);
    stream_.read_message_max(options_.max_message_bytes);
  }

  Awaitable<Result<std::string>> read() override;
  Awaitable<Result<void>> write(std::string_view message) override;
  Awaitable<void> close(std::string_view reason) override;
  void set_liveness(Duration ping_after, Duration dead_after) override;
  std::string peer() const override { return peer_; }
  std::string parameter(std::string_view name) const override { return asked_for_.parameter(name); }
  std::string bearer() const override { return bearer_; }

  /// Stores the request of this server's client.
  void set_request(const Request& request) {
    asked_for_.query = request.query;
    bearer_ = bearer_of(request);
  }

  Stream& stream() { return stream_; }
  StreamSocket& socket() { return stream_.next_layer().socket(); }

  /// Starts the watch. Call it once, after the handshake.
  void start_watch();

 private:
  Error read_error(const ErrorCode& error) const;
  void watch_at(TimePoint at);
  void watch();
  void ping();
  void lose_after_close();
  void lose(ErrorKind kind, std::string why);

  Stream stream_;
  Cancellation reading_cancellation_;
  AsioTimer watch_timer_;
  std::string peer_;
  Request asked_for_;  // only its query is used
  std::string bearer_;
  WebSocketOptions options_;
  TimePoint received_at_;
  std::optional<TimePoint> reading_since_;
  std::optional<TimePoint> writing_since_;
  std::optional<TimePoint> closing_since_;  // set by watch(): the stream is ending
  TimePoint watch_due_;
  bool is_pinging_ = false;
  bool is_closed_locally_ = false;
  std::optional<Error> lost_;
  Lifetime lifetime_;
};

Awaitable<Result<std::string>> BeastWebSocket::read() {
  constexpr std::size_t kFirstRoom = 512;  // most stats fit
  const Turn turn(reading_since_);
  const auto cancellation = co_await net::this_coro::cancellation_state;
  std::string message;
  do {
    const std::size_t size = message.size();
    message.resize(size + stream_.read_size_hint(kFirstRoom));
    ErrorCode error;
    reading_cancellation_.begin(cancellation.slot());
    const std::size_t count = co_await stream_.async_read_some(
        net::buffer(message.data() + size, message.size() - size),
        net::bind_cancellation_slot(reading_cancellation_.slot(), awaiting(error)));
    reading_cancellation_.end();
    if (error) co_return fail(read_error(error));
    message.resize(size + count);
    received_at_ = now();
  } while (!stream_.is_message_done());
  co_return message;
}

Error BeastWebSocket::read_error(const ErrorCode& error) const {
  if (is_closed_locally_)
    return Error(ErrorKind::kCancelled, peer_, "the WebSocket was closed here");
  if (lost_) return *lost_;
  if (error == beast::websocket::error::closed) {
    const auto& why = stream_.reason();
    return Error(ErrorKind::kReset, peer_,
                 "the other side closed the WebSocket: \"" + std::string(why.reason.c_str()) +
                     "\" (code " + std::to_string(why.code) + ")");
  }
  if (error == beast::websocket::error::message_too_big) {
    return Error(ErrorKind::kTooLarge, peer_,
                 "a WebSocket message over the limit of " +
                     std::to_string(options_.max_message_bytes) + " bytes");
  }
  return net_error(peer_, "read from the WebSocket", error);
}

Awaitable<Result<void>> BeastWebSocket::write(std::string_view message) {
  const Turn turn(writing_since_);
  ErrorCode error;
  co_await stream_.async_write(net::buffer(message), awaiting(error));
  if (!error) co_return Result<void>();
  if (lost_ || is_closed_locally_) co_return fail(read_error(error));
  if (!stream_.is_open() && error == net::error::operation_aborted) error = net::error::eof;
  co_return fail(net_error(peer_, "write to the WebSocket", error));
}

Awaitable<void> BeastWebSocket::close(std::string_view reason) {
  if (is_closed_locally_ || lost_ || !stream_.is_open()) co_return;
  is_closed_locally_ = true;
  const std::string_view fitting = fitting_reason(reason);
  const beast::websocket::close_reason why(beast::websocket::close_code::normal,
                                           beast::string_view(fitting.data(), fitting.size()));
  const SocketDeadline deadline(socket(), now() + options_.close_wait);
  ErrorCode ignored;
  co_await stream_.async_close(why, awaiting(ignored));
  stream_.next_layer().close();
}

void BeastWebSocket::start_watch() {
  received_at_ = now();
  stream_.control_callback([this](beast::websocket::frame_type, beast::string_view) {
    received_at_ = now();  // called within a read, which this object outlives
  });
  watch_at(received_at_ + options_.ping_after);
}

void BeastWebSocket::set_liveness(Duration ping_after, Duration dead_after) {
  options_.ping_after = ping_after;
  options_.dead_after = dead_after;
  watch_at(now() + ping_after);
}

void BeastWebSocket::watch_at(TimePoint at) {
  watch_due_ = at;
  watch_timer_.expires_at(to_steady(at));
  watch_timer_.async_wait(lifetime_.bind([this](const ErrorCode& error) {
    if (!error) watch();
  }));
}

void BeastWebSocket::watch() {
  const TimePoint at = now();
  TimePoint next = at + options_.ping_after;
  // After this process itself was suspended or starved, the timeouts of its peers restart.
  if (at - watch_due_ > options_.ping_after / 2) {
    received_at_ = at;
    if (writing_since_) writing_since_ = at;
  }
  if (writing_since_) {
    if (at - *writing_since_ >= options_.dead_after) {
      return lose(ErrorKind::kReset, "read no message for " + duration_text(options_.dead_after));
    }
    next = std::min(next, *writing_since_ + options_.dead_after);
  }
  if (!stream_.is_open()) {
    // After a close frame or an invalid frame the other side has to close the connection.
    if (!closing_since_) closing_since_ = at;
    if (at - *closing_since_ >= options_.close_wait) return lose_after_close();
    next = std::min(next, *closing_since_ + options_.close_wait);
  } else if (reading_since_) {
    const TimePoint idle_since = std::max(received_at_, *reading_since_);
    const Duration idle_time = at - idle_since;
    if (idle_time >= options_.dead_after)
      return lose(ErrorKind::kReset, "nothing received for " + duration_text(options_.dead_after));
    if (idle_time < options_.ping_after) {
      next = std::min(next, idle_since + options_.ping_after);
    } else {
      next = std::min(next, idle_since + options_.dead_after);
      ping();
    }
  }
  watch_at(next);
}

void BeastWebSocket::ping() {
  if (is_pinging_) return;  // the previous ping has not been sent yet
  is_pinging_ = true;
  stream_.async_ping({}, lifetime_.bind([this](const ErrorCode&) { is_pinging_ = false; }));
}

void BeastWebSocket::lose_after_close() {
  const bool has_sent_close = stream_.reason().code != beast::websocket::close_code::none;
  if (has_sent_close) return lose(ErrorKind::kReset, "closed the WebSocket, not the connection");
  lose(ErrorKind::kMalformed, "violated the WebSocket protocol (or the limit of " +
                                  std::to_string(options_.max_message_bytes) +
                                  " bytes) and does not close the connection");
}

void BeastWebSocket::lose(ErrorKind kind, std::string why) {
  lost_ = Error(kind, peer_, std::move(why));
  stream_.next_layer().close();  // ends pending reads and writes
}

using UpgradeRequest = beast::http::request<beast::http::empty_body>;

UpgradeRequest to_upgrade(const Request& request) {
  constexpr unsigned kHttp11 = 11;
  UpgradeRequest upgrade;
  upgrade.version(kHttp11);
  upgrade.method_string(request.method);
  upgrade.target(request.path);
  for (const auto& [name, value] : request.headers) upgrade.insert(name, value);
  return upgrade;
}

}  // namespace

Awaitable<Result<std::unique_ptr<WebSocket>>> connect_websocket(Endpoint endpoint, std::string path,
                                                                WebSocketOptions options) {
  const TimePoint deadline = now() + options.handshake_timeout;
  BELLOWS_CO_TRY(ByteStream stream, co_await connect_stream(endpoint, options.tls, deadline));
  auto connection =
      std::make_unique<BeastWebSocket>(std::move(stream), to_string(endpoint), options);
  const SocketDeadline timeout(connection->socket(), deadline);
  const std::string host = endpoint.is_unix() ? "localhost" : to_string(endpoint);
  beast::websocket::response_type response;
  ErrorCode error;
  if (!options.bearer.empty()) {
    const std::string credentials = kBearer + std::string(options.bearer);
    connection->stream().set_option(beast::websocket::stream_base::decorator(
        [credentials](beast::websocket::request_type& request) {
          request.set(beast::http::field::authorization, credentials);
        }));
  }
  co_await connection->stream().async_handshake(response, host, path, awaiting(error));
  if (error) {
    Error made = net_error(to_string(endpoint), "WebSocket handshake with " + path, error);
    if (timeout.has_expired()) {
      made = Error(ErrorKind::kTimeout, to_string(endpoint),
                   "no WebSocket handshake within " + duration_text(options.handshake_timeout));
    } else if (error == beast::websocket::error::upgrade_declined) {
      made = Error(
          ErrorKind::kMalformed, to_string(endpoint),
          "no WebSocket at " + path + ": the response is " + std::to_string(response.result_int()));
    }
    co_return fail(std::move(made).on(ErrorSide::kUpstream).retryable());
  }
  connection->start_watch();
  co_return std::unique_ptr<WebSocket>(std::move(connection));
}

Awaitable<Result<std::unique_ptr<WebSocket>>> accept_websocket(ByteStream stream, Request request,
                                                               WebSocketOptions options) {
  const std::string peer = peer_name(stream.socket());
  auto connection = std::make_unique<BeastWebSocket>(std::move(stream), peer, options);
  connection->set_request(request);
  const SocketDeadline timeout(connection->socket(), now() + options.handshake_timeout);
  const UpgradeRequest upgrade = to_upgrade(request);
  ErrorCode error;
  co_await connection->stream().async_accept(upgrade, awaiting(error));
  if (error) {
    co_return fail(net_error(peer, "WebSocket handshake", error).on(ErrorSide::kDownstream));
  }
  connection->start_watch();
  co_return std::unique_ptr<WebSocket>(std::move(connection));
}

}  // namespace bellows::http
