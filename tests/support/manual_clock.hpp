// A clock that only the test advances.
#pragma once

#include <atomic>

#include "base/sys/clock.hpp"

namespace bellows::test {

/// Starts one day after boot, so that "a minute ago" is never negative. Any thread may read it.
class ManualClock final : public sys::Clock {
 public:
  TimePoint now() const override { return TimePoint(now_.load()); }
  WallTime wall_now() const override {
    return WallTime(std::chrono::seconds(1'790'000'000)) + now_.load();
  }

  void advance(Duration duration) { now_ = now_.load() + duration; }
  void set(TimePoint at) { now_ = at.time_since_epoch(); }

 private:
  std::atomic<Duration> now_{Duration(std::chrono::hours(24))};  // since boot
};

}  // namespace bellows::test
