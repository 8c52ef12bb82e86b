// Detects that ready replicas cannot be reached at their addresses.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/time.hpp"

namespace bellows::activator {

/// Result of a probe of a replica's queue-proxy.
enum class ProbeResult : std::uint8_t {
  kReady,        ///< it accepts requests
  kNotReady,     ///< its queue-proxy answered, but the app is not ready
  kUnreachable,  ///< no answer of a queue-proxy
};

/// A cluster reports replicas as ready because its own nodes reach them. If they do not answer this
/// activator for this time, something in between blocks it: a mesh that accepts no connection
/// without its certificates, or a network policy.
inline constexpr Duration kUnreachableAfter = std::chrono::seconds(10);

/// The state of one revision. Owner: the RevisionHandle. Pure.
class Reachability {
 public:
  /// Records a probe of a replica that the cluster lists as ready. `is_last_hope`: no other one
  /// accepts requests.
  void note_probe(ProbeResult result, bool is_last_hope, TimePoint now) {
    if (result != ProbeResult::kUnreachable || !is_last_hope) return note_reached();
    if (!since_) since_ = now;
  }
  /// Records that a replica has answered, or that none is listed as ready any more.
  void note_reached() {
    since_.reset();
    is_told_ = false;
  }

  bool is_unreachable(TimePoint now) const { return since_ && now >= *since_ + kUnreachableAfter; }
  /// Returns true once each time that it becomes unreachable, for the log.
  bool take_news(TimePoint now) { return is_unreachable(now) && !std::exchange(is_told_, true); }

 private:
  std::optional<TimePoint> since_;
  bool is_told_ = false;
};

}  // namespace bellows::activator
