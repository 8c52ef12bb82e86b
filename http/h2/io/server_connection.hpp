// The server side of one connection of HTTP/2. Each request on it is an http::Connection that can
// be read as one HTTP/1.1 request, and written with its response as HTTP/1.1 text. Why:
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

/// The server side of a connection. After its destruction its streams appear as connections that
/// were reset. Owner: a proxy's server. Thread: the io thread.
class ServerConnection {
 public:
  /// Receives a new request, in the order of their HEADERS, outside of other calls of this class.
  /// The stream may outlive this object. Malformed requests are rejected before.
  using OnStream = std::function<void(std::unique_ptr<http::Connection> stream)>;
  /// Called once, outside of other calls of this class, when the transport is closed and no stream
  /// is open. It may destroy this object.
  using OnEnd = std::function<void()>;

  /// `transport` is connected, and after the handshake if it has TLS; this object takes over its
  /// waiter. `already_read` are bytes read from it, from the first byte of the preface on. `limits`
  /// and `counters` must outlive it. `peer` names the peer in log lines.
  ServerConnection(http::Reactor& reactor, std::unique_ptr<http::Connection> transport,
                   std::string_view already_read, const Limits& limits, AbuseCounters& counters,
                   std::string peer, OnStream on_stream, OnEnd on_end);
  ~ServerConnection();
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  /// Stops accepting requests: sends GOAWAY with the highest id and, once that has been
  /// acknowledged or a second later, GOAWAY with the last accepted one (RFC 9113 6.8). Ends after
  /// its last stream.
  void drain();
  bool is_draining() const;
  /// Sends GOAWAY and closes the transport. Open streams appear reset.
  void close();

  /// Returns the number of streams that were given away and that their owners have not closed yet.
  std::size_t open_streams() const;
  /// Returns true if the transport has not accepted all bytes of the streams yet, or if the drain
  /// is incomplete. If the connection ended now, a well-behaved peer would lose a request or the
  /// end of a response. It becomes false after a while, whatever the peer does (Limits).
  bool has_unsent() const;
  /// Returns since when it has had no stream; TimePoint::max() while it has one.
  TimePoint idle_since() const;
  /// Returns the transport, for its information about the caller (TLS).
  const http::Connection& transport() const;

 private:
  const std::unique_ptr<Multiplexer> multiplexer_;
};

}  // namespace bellows::http2
