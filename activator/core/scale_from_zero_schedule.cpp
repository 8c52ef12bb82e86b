#include "activator/core/scale_from_zero_schedule.hpp"

namespace bellows::activator {

bool ScaleFromZeroSchedule::take_trigger(std::int64_t waiting, bool has_ready, TimePoint now) {
  if (waiting == 0 || has_ready) {
    first_trigger_.reset();
    last_trigger_.reset();
    return false;
  }
  waiting_ = waiting;
  if (last_trigger_ && now < *next_trigger()) return false;
  last_trigger_ = now;
  told_ = waiting;
  if (!first_trigger_) first_trigger_ = now;
  return true;
}

Duration ScaleFromZeroSchedule::triggered_for(TimePoint now) const {
  return first_trigger_ ? now - *first_trigger_ : Duration::zero();
}

std::optional<TimePoint> ScaleFromZeroSchedule::next_trigger() const {
  if (!last_trigger_) return std::nullopt;
  const bool has_grown = waiting_ - told_ > told_ / 4;
  return *last_trigger_ + (has_grown ? kGrowthInterval : kRetriggerInterval);
}

}  // namespace bellows::activator
