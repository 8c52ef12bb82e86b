// When the activator triggers the scale-up of a revision from zero.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// A trigger may get lost (the autoscaler restarts, the connection is reset), so it is repeated
/// after this.
inline constexpr Duration kRetriggerInterval = std::chrono::seconds(1);
/// A trigger tells how many requests wait. The first one usually tells of one, because callers who
/// come together are read one after the other; so it is repeated after this if more came since.
inline constexpr Duration kGrowthInterval = std::chrono::milliseconds(5);

/// The first request that waits while no replica is ready triggers at once; then one trigger
/// follows each second until that has changed, and one each kGrowthInterval while a quarter more
/// wait than the last trigger told: n callers at once cost O(log n) triggers. Owner: the
/// RevisionThrottler. Pure.
class ScaleFromZeroSchedule {
 public:
  /// Call it after every change and at next_trigger(). Returns true if a trigger is due now.
  bool take_trigger(std::int64_t waiting, bool has_ready, TimePoint now);

  /// How long triggers have been repeated without a break; zero at the first one.
  Duration triggered_for(TimePoint now) const;

  /// nullopt: no trigger is due before the next change.
  std::optional<TimePoint> next_trigger() const;

 private:
  std::optional<TimePoint> first_trigger_;
  std::optional<TimePoint> last_trigger_;
  std::int64_t told_ = 0;     // waiting requests at the last trigger
  std::int64_t waiting_ = 0;  // now
};

}  // namespace bellows::activator
