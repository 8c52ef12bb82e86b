#include "http/io/websocket.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/core/stream_traits.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <optional>
#include <utility>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "http/io/connect.hpp"
#include "http/io/socket_deadline.hpp"
#include "http/io/websocket_accept.hpp"

namespace bellows::http {

namespace {

namespace beast = boost::beast;
constexpr bool kWithDeflate = false;
using Stream = beast::websocket::stream<StreamSocket, kWithDeflate>;
using ErrorCode = boost::system::error_code;

constexpr std::size_t kLongestReason = 123;  // RFC 6455, 5.5

TimePoint now() {
  return sys::system_clock().now();
}

/// Cuts at a character's beginning: a close frame with half a character is malformed.
std::string_view fitting_reason(std::string_view reason) {
  if (reason.size() <= kLongestReason) return reason;
  std::size_t size = kLongestReason;
  while (size > 0 && (static_cast<unsigned char>(reason[size]) & 0xc0U) == 0x80U) --size;
  return reason.substr(0, size);
}

/// Marks a read or a write as being under way since some instant.
class Turn {
 public:
  explicit Turn(std::optional<TimePoint>& since) : since_(since) { since_ = now(); }
  ~Turn() { since_.reset(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  std::optional<TimePoint>& since_;
};

class BeastWebSocket final : public WebSocket {
 public:
  BeastWebSocket(StreamSocket socket, std::string peer, WebSocketOptions options)
      : stream_(std::move(socket)),
        watch_timer_(stream_.get_executor()),
        peer_(std::move(peer)),
        options_(options) {
    stream_.binary(true);
    stream_.auto_fragment(false);
    stream_.read_message_max(options_.max_message_bytes);
  }

  Awaitable<Result<std::string>> read() override;
  Awaitable<Result<void>> write(std::string_view message) override;
  Awaitable<void> close(std::string_view reason) override;
  std::string peer() const override { return peer_; }

  Stream& stream() { return stream_; }
  StreamSocket& socket() { return beast::get_lowest_layer(stream_); }

  /// To be called once, when the handshake is done.
  void start_watch();

 private:
  Error read_error(const ErrorCode& error) const;
  void watch_at(TimePoint at);
  void watch();
  void ping();
  void lose_closed();
  void lose(ErrorKind kind, std::string why);

  Stream stream_;
  Timer watch_timer_;
  std::string peer_;
  WebSocketOptions options_;
  TimePoint heard_at_;
  std::optional<TimePoint> reading_since_;
  std::optional<TimePoint> writing_since_;
  std::optional<TimePoint> closing_since_;  // as seen by watch(): the stream is ending
  TimePoint watch_due_;
  bool is_pinging_ = false;
  bool is_closed_by_us_ = false;
  std::optional<Error> lost_;
  // Tells handlers that are still queued whether this object is there.
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

Awaitable<Result<std::string>> BeastWebSocket::read() {
  constexpr std::size_t kFirstRoom = 512;  // most stats fit
  const Turn turn(reading_since_);
  std::string message;
  do {
    const std::size_t size = message.size();
    message.resize(size + stream_.read_size_hint(kFirstRoom));
    ErrorCode error;
    const std::size_t count = co_await stream_.async_read_some(
        net::buffer(message.data() + size, message.size() - size), awaiting(error));
    if (error) co_return fail(read_error(error));
    message.resize(size + count);
    heard_at_ = now();
  } while (!stream_.is_message_done());
  co_return message;
}

Error BeastWebSocket::read_error(const ErrorCode& error) const {
  if (is_closed_by_us_) return Error(ErrorKind::kCancelled, peer_, "the WebSocket was closed here");
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
  if (lost_ || is_closed_by_us_) co_return fail(read_error(error));
  if (!stream_.is_open() && error == net::error::operation_aborted) error = net::error::eof;
  co_return fail(net_error(peer_, "write to the WebSocket", error));
}

Awaitable<void> BeastWebSocket::close(std::string_view reason) {
  if (is_closed_by_us_ || lost_ || !stream_.is_open()) co_return;
  is_closed_by_us_ = true;
  const std::string_view fitting = fitting_reason(reason);
  const beast::websocket::close_reason why(beast::websocket::close_code::normal,
                                           beast::string_view(fitting.data(), fitting.size()));
  const SocketDeadline patience(socket(), now() + options_.close_wait);
  ErrorCode ignored;
  co_await stream_.async_close(why, awaiting(ignored));
  socket().close(ignored);
}

void BeastWebSocket::start_watch() {
  heard_at_ = now();
  stream_.control_callback([this](beast::websocket::frame_type, beast::string_view) {
    heard_at_ = now();  // only called by a read, which this object outlives
  });
  watch_at(heard_at_ + options_.ping_after);
}

void BeastWebSocket::watch_at(TimePoint at) {
  watch_due_ = at;
  watch_timer_.expires_at(to_steady(at));
  watch_timer_.async_wait([this, alive = std::weak_ptr<int>(alive_)](const ErrorCode& error) {
    if (!error && !alive.expired()) watch();
  });
}

void BeastWebSocket::watch() {
  const TimePoint at = now();
  TimePoint next = at + options_.ping_after;
  // After this process itself stood still (stopped, starved), its peers' time begins anew.
  if (at - watch_due_ > options_.ping_after / 2) {
    heard_at_ = at;
    if (writing_since_) writing_since_ = at;
  }
  if (writing_since_) {
    if (at - *writing_since_ >= options_.dead_after) {
      return lose(ErrorKind::kReset, "took no message for " + duration_text(options_.dead_after));
    }
    next = std::min(next, *writing_since_ + options_.dead_after);
  }
  if (!stream_.is_open()) {
    // A close frame or a broken frame ended it; now the other side has to end the connection.
    if (!closing_since_) closing_since_ = at;
    if (at - *closing_since_ >= options_.close_wait) return lose_closed();
    next = std::min(next, *closing_since_ + options_.close_wait);
  } else if (reading_since_) {
    const TimePoint quiet_since = std::max(heard_at_, *reading_since_);
    const Duration silence = at - quiet_since;
    if (silence >= options_.dead_after)
      return lose(ErrorKind::kReset, "silent for " + duration_text(options_.dead_after));
    if (silence < options_.ping_after) {
      next = std::min(next, quiet_since + options_.ping_after);
    } else {
      next = std::min(next, quiet_since + options_.dead_after);
      ping();
    }
  }
  watch_at(next);
}

void BeastWebSocket::ping() {
  if (is_pinging_) return;  // the one before is not even sent
  is_pinging_ = true;
  stream_.async_ping({}, [this, alive = std::weak_ptr<int>(alive_)](const ErrorCode&) {
    if (!alive.expired()) is_pinging_ = false;
  });
}

void BeastWebSocket::lose_closed() {
  const bool has_said_close = stream_.reason().code != beast::websocket::close_code::none;
  if (has_said_close) return lose(ErrorKind::kReset, "closed the WebSocket, not the connection");
  lose(ErrorKind::kMalformed, "broke the WebSocket protocol (or the limit of " +
                                  std::to_string(options_.max_message_bytes) +
                                  " bytes) and does not end the connection");
}

void BeastWebSocket::lose(ErrorKind kind, std::string why) {
  lost_ = Error(kind, peer_, std::move(why));
  ErrorCode ignored;
  socket().close(ignored);  // ends the read and the write under way
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
  BELLOWS_CO_TRY(StreamSocket socket, co_await connect_to(endpoint, deadline));
  auto connection =
      std::make_unique<BeastWebSocket>(std::move(socket), to_string(endpoint), options);
  const SocketDeadline patience(connection->socket(), deadline);
  const std::string host = endpoint.is_unix() ? "localhost" : to_string(endpoint);
  beast::websocket::response_type answer;
  ErrorCode error;
  co_await connection->stream().async_handshake(answer, host, path, awaiting(error));
  if (error) {
    Error made = net_error(to_string(endpoint), "WebSocket handshake with " + path, error);
    if (patience.has_expired()) {
      made = Error(ErrorKind::kTimeout, to_string(endpoint),
                   "no WebSocket handshake within " + duration_text(options.handshake_timeout));
    } else if (error == beast::websocket::error::upgrade_declined) {
      made = Error(ErrorKind::kMalformed, to_string(endpoint),
                   "no WebSocket at " + path + ": answered " + std::to_string(answer.result_int()));
    }
    co_return fail(std::move(made).on(ErrorSide::kUpstream).retryable());
  }
  connection->start_watch();
  co_return std::unique_ptr<WebSocket>(std::move(connection));
}

Awaitable<Result<std::unique_ptr<WebSocket>>> accept_websocket(StreamSocket socket, Request request,
                                                               WebSocketOptions options) {
  const std::string peer = peer_name(socket);
  auto connection = std::make_unique<BeastWebSocket>(std::move(socket), peer, options);
  const SocketDeadline patience(connection->socket(), now() + options.handshake_timeout);
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
