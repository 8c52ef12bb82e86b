// A WebSocket connection (RFC 6455) as messages. The template machinery of Beast stays in
// websocket.cpp.
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
  Duration ping_after = std::chrono::seconds(3);   ///< idle time before a ping
  Duration dead_after = std::chrono::seconds(10);  ///< without a byte, before it counts as lost
  Duration close_wait = std::chrono::seconds(1);   ///< for the other side to end a closed one
  /// Of a client: sent as `Authorization: Bearer`; empty: nothing. Outlives the handshake.
  std::string_view bearer = {};
  TlsContext* tls = nullptr;  ///< a client speaks wss by it; outlives the call; null: ws. A server
                              ///< has ServiceServerOptions::tls
};

static_assert(std::is_trivially_copyable_v<WebSocketOptions>);  // net.hpp: a trap of braces

/// One open connection. At most one read and one write at a time. Pings, pongs and the other side's
/// close are only seen while a read() waits, and only then does idle time count, so keep one
/// waiting. Destroying it ends the connection without a close frame. Thread: the io thread.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// The next whole binary or text message. kReset if the other side closed (with its reason) or is
  /// gone, kTooLarge over the limit, kMalformed for an invalid frame, kCancelled if close() or a
  /// task group ended it. No read after an error.
  virtual Awaitable<Result<std::string>> read() = 0;

  /// Sends one binary message; `message` must live until then. Errors as of read(); kReset too if
  /// the other side read nothing for `dead_after`.
  virtual Awaitable<Result<void>> write(std::string_view message) = 0;

  /// The closing handshake with the given reason (at most 123 bytes of it), also while a read()
  /// waits; a peer that does not complete it is disconnected after a second. No effect once ended.
  virtual Awaitable<void> close(std::string_view reason) = 0;

  /// From now on the peer counts as lost after so long; see WebSocketOptions. No effect where there
  /// is no connection to watch.
  virtual void set_liveness(Duration /*ping_after*/, Duration /*dead_after*/) {}

  /// "127.0.0.1:51234", for logs.
  virtual std::string peer() const = 0;

  /// Of a server: a parameter of the URL that the client connected to, as Request::parameter().
  virtual std::string parameter(std::string_view /*name*/) const { return {}; }
  /// Of a server: WebSocketOptions::bearer of the client; empty: none.
  virtual std::string bearer() const { return {}; }
};

/// Connects to ws://ENDPOINT/PATH, or wss:// with `options.tls` (by TCP or Unix socket), and
/// performs the handshake. Errors name the endpoint and are retryable: those of connect_stream(),
/// kRefused, kNotFound (no such host), kTimeout, kReset, kMalformed (not a WebSocket server, or no
/// WebSocket at that path).
Awaitable<Result<std::unique_ptr<WebSocket>>> connect_websocket(Endpoint endpoint, std::string path,
                                                                WebSocketOptions options = {});

}  // namespace bellows::http
