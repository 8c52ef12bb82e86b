// The client side of one connection of HTTP/2. Each request is written to an http::Connection of
// its own as HTTP/1.1 text, and its response is read from there as HTTP/1.1 text. Why:
// docs/decisions/http2.md. Source: RFC 9113, RFC 8441.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/h2/core/abuse.hpp"
#include "http/h2/core/limits.hpp"
#include "http/io/connection.hpp"

namespace bellows::http2 {

class Multiplexer;

/// The client side of a connection. After its destruction its streams appear as connections that
/// were reset. Owner: an upstream pool. Thread: the io thread.
class ClientConnection {
 public:
  /// Called outside of other calls of this class when may_open(), is_ready() or has_ended() may
  /// have changed, or when a stream has closed. It may destroy this object.
  using OnChange = std::function<void()>;

  /// `transport` is connected, and after the handshake if it has TLS; this object takes over its
  /// waiter. `scheme` is "http" or "https", for :scheme. `limits` and `counters` must outlive it.
  /// `peer` names the peer in log lines.
  ClientConnection(http::Reactor& reactor, std::unique_ptr<http::Connection> transport,
                   std::string_view scheme, const Limits& limits, AbuseCounters& counters,
                   std::string peer, OnChange on_change);
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  /// Returns true if it has not ended, no GOAWAY has arrived, the peer allows more streams (100
  /// until its SETTINGS have arrived), and ids are left.
  bool may_open() const;
  /// Opens a stream for one request; requires may_open(). The stream may outlive this object. It
  /// takes no second request: after the response a read returns the end. An upgrade to a WebSocket
  /// becomes an extended CONNECT; if the peer does not support those, the write fails with
  /// EPROTONOSUPPORT.
  std::unique_ptr<http::Connection> open_stream();

  /// Returns true once the peer's SETTINGS have arrived, which shows that it speaks HTTP/2.
  bool is_ready() const;
  /// Returns true if the peer's first bytes are not HTTP/2. Its streams then appear as refused by
  /// the peer.
  bool is_other_protocol() const;
  /// Returns true if the transport is closed.
  bool has_ended() const;
  /// Returns why it ended, for the log: "GOAWAY with PROTOCOL_ERROR", or an error of the socket.
  const std::string& end_reason() const;

  /// Opens no more streams, and ends after the last one.
  void drain();
  /// Sends GOAWAY and closes the transport. Open streams appear reset.
  void close();

  std::size_t open_streams() const;
  /// Returns since when it has had no stream; TimePoint::max() while it has one.
  TimePoint idle_since() const;

 private:
  const std::unique_ptr<Multiplexer> multiplexer_;
};

}  // namespace bellows::http2
