// The only place that reads the system's clocks.
#pragma once

#include "base/time.hpp"

namespace bellows::sys {

/// A source of time. Thread: any. Programs use system_clock(), tests a
/// ManualClock.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
  virtual WallTime wall_now() const = 0;
};

/// Returns the clock that reads CLOCK_MONOTONIC and CLOCK_REALTIME.
const Clock& system_clock();

}  // namespace bellows::sys
