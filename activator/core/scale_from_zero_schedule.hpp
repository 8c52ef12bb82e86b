// Schedules the activator's triggers that scale a revision up from zero.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// Interval of repeated triggers, because one may get lost (the autoscaler restarts, the connection
/// is reset).
inline constexpr Duration kRetriggerInterval = std::chrono::seconds(1);
/// Interval after which a trigger is repeated if more requests have arrived. A trigger reports how
/// many requests wait, and the first one usually reports one, because simultaneous callers are read
/// one after the other.
inline constexpr Duration kGrowthInterval = std::chrono::milliseconds(5);

/// The first request that waits while no replica is ready triggers at once. Then one trigger
/// follows each second until that has changed, and one each kGrowthInterval while a quarter more
/// requests wait than the last trigger reported. So n simultaneous callers cost O(log n) triggers.
/// Owner: the RevisionThrottler. Pure.
class ScaleFromZeroSchedule {
 public:
  /// Returns true if a trigger is due now. Call it after every change and at next_trigger().
  bool take_trigger(std::int64_t waiting, bool has_ready, TimePoint now);

  /// Returns how long triggers have been repeated without a break; zero at the first one.
  Duration triggered_for(TimePoint now) const;

  /// Returns nullopt if no trigger is due before the next change.
  std::optional<TimePoint> next_trigger() const;

 private:
  std::optional<TimePoint> first_trigger_;
  std::optional<TimePoint> last_trigger_;
  std::int64_t told_ = 0;     // waiting requests at the last trigger
  std::int64_t waiting_ = 0;  // currently waiting requests
};

}  // namespace bellows::activator
