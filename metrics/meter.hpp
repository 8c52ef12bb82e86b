// Requests in flight as a mean over time: an integral, not samples.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::metrics {

/// What a meter measured since it was last closed.
struct MeterReading {
  Concurrency mean = 0;        ///< integral of the level over the time, divided by the time
  Concurrency peak = 0;        ///< highest level, the initial one included
  std::uint64_t requests = 0;  ///< how many entered

  bool operator==(const MeterReading&) const = default;
};

/// Integral of the level (requests in flight) over time, in request-nanoseconds, so it is exact. A
/// time before the last one adds no time; the level changes all the same (knative.md 1.1, cases 97
/// and 98). Owner and thread: the counting component. Allocates nothing.
class ConcurrencyMeter {
 public:
  explicit ConcurrencyMeter(TimePoint start);

  /// A request arrived.
  void enter(TimePoint now);
  /// A request ended, in any way. Each leave belongs to one enter.
  void leave(TimePoint now);
  /// As leave(), of a request that is served elsewhere: it does not count as one. If the second in
  /// which it came was closed, another one of this second is left out instead.
  void withdraw(TimePoint now);

  /// Returns the reading since the last close; integral, peak and count restart, the level
  /// continues. Usually called each second; the integral is divided by the time that really passed.
  /// If no time has passed the mean is the level.
  MeterReading close_second(TimePoint now);

  /// Requests in flight now.
  std::int64_t level() const { return level_; }

 private:
  void integrate(TimePoint now);

  TimePoint since_;  // of the last close
  TimePoint last_;   // up to which the integral is complete
  std::int64_t integral_ = 0;
  std::int64_t level_ = 0;
  std::int64_t peak_ = 0;
  std::uint64_t requests_ = 0;
};

/// When to close the second after the one that ended at `last_end`. After a pause of the whole
/// process one reading covers all the time that passed, and the seconds continue from `now`.
constexpr TimePoint next_second_end(TimePoint last_end, TimePoint now) {
  constexpr Duration kSecond = std::chrono::seconds(1);
  return last_end + kSecond > now ? last_end + kSecond : now + kSecond;
}

}  // namespace bellows::metrics
