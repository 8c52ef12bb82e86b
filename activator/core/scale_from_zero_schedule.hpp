// When the activator triggers the scale-up of a revision from zero.
#pragma once

#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// A trigger may get lost (the autoscaler restarts, the connection is reset), so it is repeated
/// after this.
inline constexpr Duration kRetriggerInterval = std::chrono::seconds(1);

/// The first request that waits while no replica is ready triggers at once; then one trigger
/// follows each second until that has changed. Owner: the RevisionThrottler. Pure.
class ScaleFromZeroSchedule {
 public:
  /// Call it after every change and at next_trigger(). Returns true if a trigger is due now.
  bool take_trigger(bool has_waiting, bool has_ready, TimePoint now);

  /// How long triggers have been repeated without a break; zero at the first one.
  Duration triggered_for(TimePoint now) const;

  /// nullopt: no trigger is due before the next change.
  std::optional<TimePoint> next_trigger() const;

 private:
  std::optional<TimePoint> first_trigger_;
  std::optional<TimePoint> last_trigger_;
};

}  // namespace bellows::activator
