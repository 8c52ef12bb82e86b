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

/// Owner: an upstream pool. Thread: the io thread. Destroyed, its streams look like connections
/// that were reset.
class ClientConnection {
 public:
  /// Called outside of other calls of this class when may_open(), is_ready() or has_ended() may
  /// have changed, or a stream has closed. It may destroy this object.
  using OnChange = std::function<void()>;

  /// `transport`: connected, and after the handshake if it has TLS; it takes over the waiter.
  /// `scheme`: "http" or "https", of :scheme. `limits` and `counters` outlive it. `peer` names the
  /// peer in log lines.
  ClientConnection(http::Reactor& reactor, std::unique_ptr<http::Connection> transport,
                   std::string_view scheme, const Limits& limits, AbuseCounters& counters,
                   std::string peer, OnChange on_change);
  ~ClientConnection();
  ClientConnection(const ClientConnection&) = delete;
  ClientConnection& operator=(const ClientConnection&) = delete;

  /// Not ended, no GOAWAY came, fewer streams than the peer takes (100 until its SETTINGS have
  /// come), and ids are left.
  bool may_open() const;
  /// A stream for one request. Only if may_open(). It may outlive this object. It never has a
  /// second request: after the response a read returns the end. An upgrade to a WebSocket becomes
  /// an extended CONNECT; if the peer does not take those, the write fails with EPROTONOSUPPORT.
  std::unique_ptr<http::Connection> open_stream();

  /// The peer's SETTINGS have come: it speaks HTTP/2.
  bool is_ready() const;
  /// The peer's first bytes are no HTTP/2. Its streams look as if the peer had refused them.
  bool is_other_protocol() const;
  /// The transport is closed.
  bool has_ended() const;
  /// Why it ended, for the log: "GOAWAY with PROTOCOL_ERROR", or of a socket.
  const std::string& end_reason() const;

  /// Opens no more streams, and ends after the last one.
  void drain();
  /// GOAWAY, then the end of the transport. Open streams look reset.
  void close();

  std::size_t open_streams() const;
  /// Since when it has had no stream; TimePoint::max() while it has one.
  TimePoint idle_since() const;

 private:
  const std::unique_ptr<Multiplexer> multiplexer_;
};

}  // namespace bellows::http2
