// A WebSocket connection (RFC 6455) as messages. The template machinery of Beast stays in
// websocket.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/endpoint.hpp"
#include "http/io/net.hpp"

namespace bellows::http {

/// Limits of one connection.
struct WebSocketOptions {
  std::size_t max_message_bytes = 64 * 1024;
  Duration handshake_timeout = std::chrono::seconds(3);
  Duration ping_after = std::chrono::seconds(3);   ///< idle time before a ping
  Duration dead_after = std::chrono::seconds(10);  ///< silence before the connection counts as lost
};

/// One open connection. At most one read and one write at a time. Thread: the io thread.
class WebSocket {
 public:
  virtual ~WebSocket() = default;

  /// The next whole binary or text message. kReset when the other side closed or vanished,
  /// kTooLarge over the limit, kMalformed for a broken frame, kCancelled when close() or a task
  /// group stopped it.
  virtual Task<Result<std::string>> read() = 0;

  /// One binary message, sent whole.
  virtual Task<Result<void>> write(std::string_view message) = 0;

  /// Polite end with the given reason (at most 123 bytes); a peer that does not answer is cut off
  /// after a second.
  virtual Task<void> close(std::string_view reason) = 0;

  /// "127.0.0.1:51234", for logs.
  virtual std::string peer() const = 0;
};

/// Connects to ws://ENDPOINT/PATH and shakes hands. kRefused, kTimeout, kMalformed (not a WebSocket
/// server).
Task<Result<std::unique_ptr<WebSocket>>> connect_websocket(Endpoint endpoint, std::string path,
                                                           WebSocketOptions options = {});

}  // namespace bellows::http
