// A WebSocket connection (RFC 6455) as messages. Only websocket.cpp includes the templates of
// Beast.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"
#include "http/io/tls.hpp"

namespace bellows::http {

/// Limits of one connection.
struct WebSocketOptions {
  std::size_t max_message_bytes = std::size_t{64} * 1024;
  Duration handshake_timeout = std::chrono::seconds(3);
  Duration ping_after = std::chrono::seconds(3);  ///< idle time before a ping
  /// Time without a byte before the peer counts as lost.
  Duration dead_after = std::chrono::seconds(10);
  /// Time for the other side to complete the closing handshake.
  Duration close_wait = std::chrono::seconds(1);
  /// Client only: sent as `Authorization: Bearer`; empty: none. It must outlive the handshake.
  std::string_view bearer = {};
  TlsContext* tls = nullptr;  ///< a client speaks wss by it; outlives the call; null: ws. A server
                              ///< has ServiceServerOptions::tls
};

// Net.hpp explains the compiler defect.
static_assert(std::is_trivially_copyable_v<WebSocketOptions>);

/// One open connection. At most one read and one write may run at a time. Pings, pongs and the
/// other side's close are only handled while a read() waits, and only then does idle time count, so
/// keep one waiting. Its destruction ends the connection without a close frame. Thread: the io
/// thread.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// Returns the next whole binary or text message. kReset if the other side closed (with its
  /// reason) or is lost, kTooLarge above the limit, kMalformed for an invalid frame, kCancelled if
  /// close() or a task group ended it. After an error no read is allowed.
  virtual Awaitable<Result<std::string>> read() = 0;

  /// Sends one binary message; `message` must live until then. Errors are those of read(); kReset
  /// also if the other side read nothing for `dead_after`.
  virtual Awaitable<Result<void>> write(std::string_view message) = 0;

  /// Performs the closing handshake with the given reason (at most 123 bytes of it), also while a
  /// read() waits. A peer that does not complete it is disconnected after a second. It has no
  /// effect once the connection has ended.
  virtual Awaitable<void> close(std::string_view reason) = 0;

  /// Sets after how long the peer counts as lost, from now on; see WebSocketOptions. It has no
  /// effect where there is no connection to watch.
  virtual void set_liveness(Duration /*ping_after*/, Duration /*dead_after*/) {}

  /// Returns "127.0.0.1:51234", for logs.
  virtual std::string peer() const = 0;

  /// Returns a parameter of the URL that the client connected to, as Request::parameter(), on a
  /// server.
  virtual std::string parameter(std::string_view /*name*/) const { return {}; }
  /// Returns WebSocketOptions::bearer of the client, on a server; empty: none.
  virtual std::string bearer() const { return {}; }
};

/// Connects to ws://ENDPOINT/PATH, or wss:// with `options.tls` (by TCP or Unix socket), and
/// performs the handshake. Errors name the endpoint and are retryable: those of connect_stream(),
/// kRefused, kNotFound (no such host), kTimeout, kReset, kMalformed (not a WebSocket server, or no
/// WebSocket at that path).
Awaitable<Result<std::unique_ptr<WebSocket>>> connect_websocket(Endpoint endpoint, std::string path,
                                                                WebSocketOptions options = {});

}  // namespace bellows::http
