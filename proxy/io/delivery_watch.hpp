// Checks whether a new connection to an upstream delivers what is written to it. Within proxy/io.
#pragma once

#include "base/time.hpp"
#include "http/io/connection.hpp"

namespace bellows::proxy {

/// Detects a connection that is open on this side only. An app with a short backlog may not know of
/// it (see SocketConnection::check_first_bytes()), and its request would wait for up to half a
/// minute. A connection that has carried a request before is not checked. Owner: a relay. Thread:
/// the io thread.
class DeliveryWatch {
 public:
  /// Begins when the first bytes are written. The connection must outlive the watch.
  DeliveryWatch(http::Connection& connection, TimePoint now)
      : connection_(connection),
        next_(connection.written() == 0 && !connection.is_stream() ? now + kFirst
                                                                   : TimePoint::max()) {}

  /// Returns when to check next.
  TimePoint deadline() const { return next_; }
  /// Returns true if the connection was aborted because nothing has arrived at the upstream.
  bool finds_loss(TimePoint now) {
    if (now < next_) return false;
    const http::FirstBytes first = connection_.check_first_bytes();
    next_ = first == http::FirstBytes::kAwaited ? now + kAgain : TimePoint::max();
    has_found_loss_ = first == http::FirstBytes::kLost;
    return has_found_loss_;
  }
  bool has_found_loss() const { return has_found_loss_; }

 private:
  // Bytes are retransmitted after 0.2 s and after another 0.4 s.
  static constexpr Duration kFirst = std::chrono::milliseconds(250);
  static constexpr Duration kAgain = std::chrono::milliseconds(100);

  http::Connection& connection_;
  TimePoint next_;
  bool has_found_loss_ = false;
};

}  // namespace bellows::proxy
