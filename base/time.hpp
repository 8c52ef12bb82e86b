// Instants and durations, the only time types in Bellows. No clock is read here: see
// base/sys/clock.hpp.
#pragma once

#include <chrono>
#include <cstdint>

namespace bellows {

using Duration = std::chrono::nanoseconds;

/// The monotonic clock of the machine (CLOCK_MONOTONIC: shared by all processes of one boot). It
/// has no now(): pure code gets the instant as an argument.
struct Monotonic {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<Monotonic, Duration>;
  static constexpr bool is_steady = true;
};

/// An instant of the monotonic clock. Instants are comparable only within one machine and boot.
using TimePoint = Monotonic::time_point;

/// A calendar time for log lines and reports. Decisions never use it.
using WallTime = std::chrono::time_point<std::chrono::system_clock, Duration>;

/// Returns the duration in seconds, with fraction.
constexpr double to_seconds(Duration d) {
  return std::chrono::duration<double>(d).count();
}

/// Returns the duration in whole milliseconds, truncated toward zero.
constexpr std::int64_t to_milliseconds(Duration d) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

/// Returns `seconds`, which may have a fraction, as a duration truncated to nanoseconds.
constexpr Duration from_seconds(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

}  // namespace bellows
