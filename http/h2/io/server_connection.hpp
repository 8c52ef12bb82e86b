// The server side of one connection of HTTP/2. Each request on it comes as an http::Connection that
// can be read as one HTTP/1.1 request, and written with its response as HTTP/1.1 text.
// Why: docs/decisions/http2.md. Source: RFC 9113, RFC 8441.
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

/// Owner: a proxy's server. Thread: the io thread. Destroyed, its streams look like connections
/// that were reset.
class ServerConnection {
 public:
  /// A new request, in the order of their HEADERS. The stream may outlive this object. Malformed
  /// ones do not come here. Called outside of other calls of this class.
  using OnStream = std::function<void(std::unique_ptr<http::Connection> stream)>;
  /// Called once, outside of other calls of this class: the transport is closed and no stream is
  /// open. It may destroy this object.
  using OnEnd = std::function<void()>;

  /// `transport`: connected, and after the handshake if it has TLS; it takes over the waiter.
  /// `already_read`: what was read from it, from the first byte of the preface on.
  /// `limits` and `counters` outlive it. `peer` names the peer in log lines.
  ServerConnection(http::Reactor& reactor, std::unique_ptr<http::Connection> transport,
                   std::string_view already_read, const Limits& limits, AbuseCounters& counters,
                   std::string peer, OnStream on_stream, OnEnd on_end);
  ~ServerConnection();
  ServerConnection(const ServerConnection&) = delete;
  ServerConnection& operator=(const ServerConnection&) = delete;

  /// Takes no more requests: GOAWAY with the highest id, and once that has been answered, or a
  /// second later, GOAWAY with the last one taken (RFC 9113 6.8). Ends after its last stream.
  void drain();
  bool is_draining() const;
  /// GOAWAY, then the end of the transport. Open streams look reset.
  void close();

  /// Streams that were given away and are not closed by their owner yet.
  std::size_t open_streams() const;
  /// The transport has not taken all yet that streams were given, or the drain is not through:
  /// ended now, a peer that has done nothing wrong would lose a request or the end of a response.
  /// False after a while, whatever the peer does (Limits).
  bool has_unsent() const;
  /// Since when it has had no stream; TimePoint::max() while it has one.
  TimePoint idle_since() const;
  /// The transport, for what it knows of the caller (TLS).
  const http::Connection& transport() const;

 private:
  const std::unique_ptr<Multiplexer> multiplexer_;
};

}  // namespace bellows::http2
