// A clock that only the test advances.
#pragma once

#include <atomic>

#include "base/sys/clock.hpp"

namespace bellows::test {

/// Starts long after boot, so that "a minute ago" is never negative. Any thread may read it.
class ManualClock final : public sys::Clock {
 public:
  TimePoint now() const override { return TimePoint(now_.load()); }
  WallTime wall_now() const override {
    return WallTime(std::chrono::seconds(1'790'086'400)) + now_.load() - kBegin;
  }

  void advance(Duration duration) { now_ = now_.load() + duration; }
  void set(TimePoint at) { now_ = at.time_since_epoch(); }

 private:
  /// Since boot, longer than any machine runs: a timer of the kernel that gets such a time waits,
  /// instead of expiring at once on a machine that has run for a day.
  static constexpr Duration kBegin = std::chrono::hours(24 * 3650);
  std::atomic<Duration> now_{kBegin};
};

}  // namespace bellows::test
