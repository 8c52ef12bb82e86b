#include "autoscaler/core/state/idle_times.hpp"

#include <algorithm>

namespace bellows::autoscaler {

void IdleTimes::record(TimePoint before, TimePoint load, Duration min) {
  const bool is_first = !has_seen_request_;
  if (!is_first && load - before <= min) return;
  if (!is_first) {
    add(static_cast<float>(to_seconds(load - before)),
        static_cast<float>(to_seconds(load - busy_since_)));
  }
  has_seen_request_ = true;
  busy_since_ = load;
}

void IdleTimes::add(float idle_time, float period) {
  found_.reset();
  idle_times_[next_] = idle_time;
  periods_[next_] = period;
  next_ = static_cast<std::uint8_t>((next_ + 1) % kKept);
  size_ = static_cast<std::uint8_t>(std::min<std::size_t>(size_ + 1, kKept));
}

std::vector<IdleTimes::Known> IdleTimes::oldest_first() const {
  std::vector<Known> known;
  for (std::size_t i = 0; i < size_; ++i) known.push_back((*this)[i]);
  return known;
}

void IdleTimes::restore(std::span<const Known> oldest_first, TimePoint busy_since) {
  *this = {};
  for (const auto& [idle_time, period] : oldest_first) add(idle_time, period);
  has_seen_request_ = true;
  busy_since_ = busy_since;
}

bool IdleTimes::operator==(const IdleTimes& other) const {
  return has_seen_request_ == other.has_seen_request_ && busy_since_ == other.busy_since_ &&
         oldest_first() == other.oldest_first();
}

}  // namespace bellows::autoscaler
