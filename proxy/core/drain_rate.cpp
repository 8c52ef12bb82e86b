#include "proxy/core/drain_rate.hpp"

#include <algorithm>
#include <cmath>

namespace bellows::proxy {

std::int64_t DrainRate::second_of(TimePoint at) {
  return std::chrono::floor<std::chrono::seconds>(at.time_since_epoch()).count();
}

void DrainRate::freed(TimePoint now) {
  const std::int64_t second = second_of(now);
  if (oldest_ < 0) oldest_ = newest_ = second;
  // Seconds without an entry are emptied on the way; at most one turn of the ring.
  for (std::int64_t s = std::max(newest_ + 1, second - kSeconds + 1); s <= second; ++s) {
    freed_[static_cast<std::size_t>(s % kSeconds)] = 0;
  }
  newest_ = std::max(newest_, second);
  ++freed_[static_cast<std::size_t>(newest_ % kSeconds)];
}

double DrainRate::per_second(TimePoint now) const {
  if (oldest_ < 0) return 0;
  const std::int64_t second = second_of(now);
  std::int64_t sum = 0;
  const std::int64_t first = std::max(second - kSeconds + 1, oldest_);
  for (std::int64_t s = std::max(first, newest_ - kSeconds + 1); s <= std::min(second, newest_);
       ++s) {
    sum += freed_[static_cast<std::size_t>(s % kSeconds)];
  }
  return static_cast<double>(sum) /
         static_cast<double>(std::max<std::int64_t>(second - first + 1, 1));
}

int DrainRate::retry_after_seconds(std::int64_t waiting, TimePoint now) const {
  constexpr double kLongest = 60;
  if (waiting <= 0) return 1;
  const double rate = per_second(now);
  if (rate <= 0) return static_cast<int>(kLongest);
  return static_cast<int>(
      std::clamp(std::ceil(static_cast<double>(waiting) / rate), 1.0, kLongest));
}

}  // namespace bellows::proxy
