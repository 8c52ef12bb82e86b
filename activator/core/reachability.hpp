// Whether ready replicas can be reached at their addresses at all.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "base/time.hpp"

namespace bellows::activator {

/// What a probe of a replica's queue-proxy found.
enum class ProbeResult : std::uint8_t {
  kReady,        ///< it takes requests
  kNotReady,     ///< its queue-proxy answered, without an app that is ready
  kUnreachable,  ///< nothing that speaks for the queue-proxy answered
};

/// A cluster calls replicas ready because its own nodes reach them. If they answer nothing to this
/// activator for so long, something in between keeps it away: a mesh that takes no connection
/// without its certificates, or a network policy.
inline constexpr Duration kUnreachableAfter = std::chrono::seconds(10);

/// Of one revision. Pure. Owner: the RevisionHandle.
class Reachability {
 public:
  /// A replica that the cluster calls ready was probed. `is_last_hope`: no other one takes
  /// requests.
  void note_probe(ProbeResult result, bool is_last_hope, TimePoint now) {
    if (result != ProbeResult::kUnreachable || !is_last_hope) return note_reached();
    if (!since_) since_ = now;
  }
  /// A replica has answered, or none is called ready any more.
  void note_reached() {
    since_.reset();
    is_told_ = false;
  }

  bool is_unreachable(TimePoint now) const { return since_ && now >= *since_ + kUnreachableAfter; }
  /// True once each time that it becomes unreachable: for the log.
  bool take_news(TimePoint now) { return is_unreachable(now) && !std::exchange(is_told_, true); }

 private:
  std::optional<TimePoint> since_;
  bool is_told_ = false;
};

}  // namespace bellows::activator
