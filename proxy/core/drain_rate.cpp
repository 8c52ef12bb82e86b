#include "proxy/core/drain_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bellows::proxy {

namespace {

/// Returns the second that contains `waited` or ends with it: a slot counts at the end of the time
/// it took.
std::int64_t second_of(Duration waited) {
  return std::chrono::ceil<std::chrono::seconds>(std::max(waited, Duration(1))).count() - 1;
}

}  // namespace

void DrainRate::advance(bool has_waiting, TimePoint now) {
  const Duration passed = std::max(now - latest_, Duration::zero());
  const std::int64_t freed = std::exchange(freed_, 0);
  latest_ += passed;
  if (has_waiting) waited_ += passed;
  if (!has_waiting && freed == 0) return;
  const std::int64_t second = second_of(waited_);
  // Clears the seconds without an entry; at most one turn of the ring.
  for (std::int64_t s = std::max(newest_ + 1, second - kSeconds + 1); s <= second; ++s) {
    counts_[static_cast<std::size_t>(s % kSeconds)] = 0;
  }
  newest_ = second;
  counts_[static_cast<std::size_t>(second % kSeconds)] += freed;
}

double DrainRate::per_second(TimePoint now) const {
  const Duration waited = waited_ + std::max(now - latest_, Duration::zero());
  const std::int64_t first = std::max<std::int64_t>(second_of(waited) - kSeconds + 1, 0);
  std::int64_t sum = freed_;
  for (std::int64_t s = std::max(first, newest_ - kSeconds + 1); s <= newest_; ++s) {
    sum += counts_[static_cast<std::size_t>(s % kSeconds)];
  }
  return static_cast<double>(sum) / std::max(to_seconds(waited - std::chrono::seconds(first)), 1.0);
}

int DrainRate::retry_after_seconds(std::int64_t waiting, TimePoint now) const {
  constexpr double kMaxSeconds = 60;
  if (waiting <= 0) return 1;
  const double rate = per_second(now);
  if (rate <= 0) return static_cast<int>(kMaxSeconds);
  return static_cast<int>(
      std::clamp(std::ceil(static_cast<double>(waiting) / rate), 1.0, kMaxSeconds));
}

}  // namespace bellows::proxy
