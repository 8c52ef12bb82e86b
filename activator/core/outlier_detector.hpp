// Outlier detection for one replica: decides when it is ejected, for how long, and when it is
// probed. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.hpp"

namespace bellows::activator {

/// Health of a replica, which decides whether it gets requests. Each state lists the states that
/// may follow.
enum class PodHealth : std::uint8_t {
  kHealthy,  ///< takes requests                             -> kEjected
  kEjected,  ///< failed: takes none until a probe succeeds  -> kProbing, kHealthy (ready again)
  kProbing,  ///< a probe is in flight                       -> kHealthy, kEjected
};
std::string_view to_string(PodHealth health);

/// Result of an ended request for its replica, as opposed to the request.
enum class PodOutcome : std::uint8_t {
  kResponded,     ///< the replica sent a response, whatever its status
  kUnknown,       ///< unknown: the caller disconnected
  kFailed,        ///< refused or reset the connection before a response, or did not accept in time
  kUnresponsive,  ///< its app took the request and sent no response, or none that can be parsed;
                  ///< the app may be fine for other requests, so only the second one in a row
                  ///< counts
  kFull,          ///< its queue-proxy rejected it: no slot was free
};

/// Time for which a replica is ejected before it is probed. It doubles with each failure, until a
/// request gets a response.
inline constexpr Duration kBaseEjectionTime = std::chrono::milliseconds(100);
inline constexpr Duration kMaxEjectionTime = std::chrono::seconds(5);

/// Owner: the PodTracker of the replica.
class OutlierDetector {
 public:
  PodHealth health() const { return health_; }
  bool is_healthy() const { return health_ == PodHealth::kHealthy; }
  /// Returns how often the replica was ejected.
  std::uint32_t ejections() const { return ejections_; }

  /// Records that the app sent a response head: the next ejection lasts kBaseEjectionTime again.
  void record_response() {
    next_ejection_time_ = kBaseEjectionTime;
    was_unresponsive_ = false;
  }

  /// Returns true if a response would have no effect, because the last request got one, too.
  bool has_responded_last() const {
    return next_ejection_time_ == kBaseEjectionTime && !was_unresponsive_;
  }

  /// Records that a request ended. `ejections` is ejections() at its start, because fifty requests
  /// that fail together with their replica are one failure. Returns true if this ejects the
  /// replica.
  bool record_outcome(PodOutcome outcome, std::uint32_t ejections, TimePoint now) {
    const bool has_failed = outcome == PodOutcome::kFailed || outcome == PodOutcome::kUnresponsive;
    return has_failed && record_failure(outcome, ejections, now);
  }

  /// Returns when to probe an ejected replica. `eagerly`: no other replica can take the waiting
  /// requests. Then a failed replica is probed every kBaseEjectionTime, and one that is only
  /// unresponsive at once, because one caller's request that makes every app fail must not delay
  /// the others.
  std::optional<TimePoint> probe_at(bool eagerly) const;
  void begin_probe() { health_ = PodHealth::kProbing; }
  /// Records the result of a probe. Returns true if the replica becomes healthy by it. A probe that
  /// ends after the replica became healthy otherwise has no effect.
  bool end_probe(bool has_succeeded, TimePoint now);

  /// Makes the replica healthy because it is new, has moved or became ready again.
  void uneject();

 private:
  enum class EjectionReason : std::uint8_t { kFailed, kUnresponsive };
  bool record_failure(PodOutcome outcome, std::uint32_t ejections, TimePoint now);
  void eject(EjectionReason reason, TimePoint now);

  PodHealth health_ = PodHealth::kHealthy;
  std::uint32_t ejections_ = 0;
  TimePoint ejected_at_{};
  TimePoint probe_at_{};
  Duration next_ejection_time_ = kBaseEjectionTime;
  EjectionReason ejection_reason_ = EjectionReason::kFailed;
  bool was_unresponsive_ = false;  // since the last response
};

}  // namespace bellows::activator
