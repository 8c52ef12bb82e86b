// Mean of the requests in flight over time, as an integral rather than from samples.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::metrics {

/// Measurement of a meter since it was last closed.
struct MeterReading {
  Concurrency mean = 0;        ///< integral of the level over the time, divided by the time
  Concurrency peak = 0;        ///< highest level, the initial one included
  std::uint64_t requests = 0;  ///< number of requests that entered

  bool operator==(const MeterReading&) const = default;
};

/// Integral of the level (requests in flight) over time, in request-nanoseconds, so it is exact. An
/// instant before the last one adds no time, but changes the level (knative.md 1.1, cases 97 and
/// 98). It allocates no memory. Owner and thread: the counting component.
class ConcurrencyMeter {
 public:
  explicit ConcurrencyMeter(TimePoint start);

  /// Records that a request arrived.
  void enter(TimePoint now);
  /// Records that a request ended, in any way. Each leave belongs to one enter.
  void leave(TimePoint now);
  /// Does what leave() does for a request that is served elsewhere, and does not count it. If the
  /// second of its arrival was closed, another request of this second is not counted instead.
  void withdraw(TimePoint now);

  /// Returns the reading since the last close; integral, peak and count restart, the level
  /// continues. It is usually called each second; the integral is divided by the time that has
  /// really passed. If no time has passed the mean is the level.
  MeterReading close_second(TimePoint now);

  /// Returns the requests in flight.
  std::int64_t level() const { return level_; }

 private:
  void integrate(TimePoint now);

  TimePoint since_;  // time of the last close
  TimePoint last_;   // the integral is complete up to here
  std::int64_t integral_ = 0;
  std::int64_t level_ = 0;
  std::int64_t peak_ = 0;
  std::uint64_t requests_ = 0;
};

/// Returns when to close the second after the one that ended at `last_end`. After a pause of the
/// whole process one reading covers all the time that passed, and the seconds continue from `now`.
constexpr TimePoint next_second_end(TimePoint last_end, TimePoint now) {
  constexpr Duration kSecond = std::chrono::seconds(1);
  return last_end + kSecond > now ? last_end + kSecond : now + kSecond;
}

}  // namespace bellows::metrics
