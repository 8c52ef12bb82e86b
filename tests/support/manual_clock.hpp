// A clock that only the test advances.
#pragma once

#include "base/sys/clock.hpp"

namespace bellows::test {

/// Starts one day after boot, so that "a minute ago" is never negative.
class ManualClock final : public sys::Clock {
 public:
  TimePoint now() const override { return now_; }
  WallTime wall_now() const override {
    return WallTime(std::chrono::seconds(1'790'000'000)) + now_.time_since_epoch();
  }

  void advance(Duration duration) { now_ += duration; }
  void set(TimePoint at) { now_ = at; }

 private:
  TimePoint now_{std::chrono::hours(24)};
};

}  // namespace bellows::test
