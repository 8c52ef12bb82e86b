// How long an upstream keeps an idle connection open, as far as it has shown. Pure.
#pragma once

#include <optional>

#include "base/time.hpp"
#include "http/core/head.hpp"

namespace bellows::proxy {

/// The timeout that a response's Keep-Alive field promises (`timeout=5`, seconds); nullopt: none.
/// Node, Apache and hypercorn send it.
std::optional<Duration> promised_keep_alive(const http::Fields& response);

/// A request that may not be repeated must not meet an upstream that is just closing: only half of
/// what is known counts as safe. Servers that look every second for connections that are too old
/// (gunicorn) close a connection after once to twice their timeout, so the shortest that was seen
/// may be the double of the shortest there is. Until something is known, kUnknown is safe: a
/// connection that is busy is younger, and for one that is not a fresh one costs little.
///
/// What was seen counts for kMemory, because an app that was started anew may have closed its
/// connections early. Owner: the pool, one for each upstream.
class KeepAliveTime {
 public:
  static constexpr Duration kUnknown = std::chrono::milliseconds(100);
  static constexpr Duration kMemory = std::chrono::minutes(5);

  void note_promise(Duration timeout) { promised_ = timeout; }
  /// An idle connection was open for so long, until the upstream closed it, or the pool did.
  void note_end(Duration idle, TimePoint now);

  /// An upstream does not close a connection that has been idle for less.
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
