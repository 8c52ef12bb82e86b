#include "activator/core/scale_from_zero_schedule.hpp"

namespace bellows::activator {

bool ScaleFromZeroSchedule::take_trigger(bool has_waiting, bool has_ready, TimePoint now) {
  if (!has_waiting || has_ready) {
    first_trigger_.reset();
    last_trigger_.reset();
    return false;
  }
  if (last_trigger_ && now - *last_trigger_ < kRetriggerInterval) return false;
  last_trigger_ = now;
  if (!first_trigger_) first_trigger_ = now;
  return true;
}

Duration ScaleFromZeroSchedule::triggered_for(TimePoint now) const {
  return first_trigger_ ? now - *first_trigger_ : Duration::zero();
}

std::optional<TimePoint> ScaleFromZeroSchedule::next_trigger() const {
  if (!last_trigger_) return std::nullopt;
  return *last_trigger_ + kRetriggerInterval;
}

}  // namespace bellows::activator
