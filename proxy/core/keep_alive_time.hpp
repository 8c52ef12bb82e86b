// Learns how long an upstream keeps an idle connection open. Pure.
#pragma once

#include <optional>

#include "base/time.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// Returns the timeout in a response's Keep-Alive field (`timeout=5`, seconds); nullopt without
/// one. Node, Apache and hypercorn send it.
std::optional<Duration> promised_keep_alive(const http::Fields& response);

/// Tells which idle connections are safe for a request that must not be repeated, because the
/// upstream may be closing an idle connection just then. Only half of the learned time counts as
/// safe: servers that check once a second for expired connections (gunicorn) close them after one
/// to two times their timeout, so the shortest time observed may be twice the shortest possible
/// one. Until a time is known, kUnknown is safe: a busy connection has been idle for less, and
/// otherwise a fresh connection is cheap.
///
/// An observation counts for kMemory, because a restarted app may have closed its connections
/// early. Owner: the pool, one for each upstream.
class KeepAliveTime {
 public:
  static constexpr Duration kUnknown = std::chrono::milliseconds(100);
  static constexpr Duration kMemory = std::chrono::minutes(5);

  void note_promise(Duration timeout) { promised_ = timeout; }
  /// Records the time for which a connection was idle and open, until the upstream or the pool
  /// closed it.
  void note_end(Duration idle, TimePoint now);

  /// Returns the idle time before which an upstream does not close a connection.
  Duration safe(TimePoint now) const;

 private:
  struct Seen {
    Duration idle;
    TimePoint at;
  };

  std::optional<Duration> promised_;
  std::optional<Seen> shortest_;
};

}  // namespace bellows::proxy
