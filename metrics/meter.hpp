// How many requests were in flight, as a mean over time: an integral, not samples.
#pragma once

#include <cstdint>

#include "base/time.hpp"
#include "base/units.hpp"

namespace bellows::metrics {

/// What a meter measured since it was last closed.
struct MeterReading {
  Concurrency mean = 0;        ///< integral of the level over the time, divided by the time
  Concurrency peak = 0;        ///< highest level, the one at the beginning included
  std::uint64_t requests = 0;  ///< how many entered

  bool operator==(const MeterReading&) const = default;
};

/// Integral of the level (requests in flight) over time, in request-nanoseconds, so it is exact.
/// An instant earlier than the last one adds no time; the level changes all the same
/// (knative.md 1.1, cases 97 and 98). Owner and thread: whoever counts. Allocates nothing.
class ConcurrencyMeter {
 public:
  explicit ConcurrencyMeter(TimePoint start);

  /// A request came.
  void enter(TimePoint now);
  /// It went, however it ended. Each leave belongs to one enter.
  void leave(TimePoint now);

  /// The reading since the last close; then integral, peak and count begin anew and the level goes
  /// on. Usually called each second, but any time will do: it is divided by what really passed. If
  /// no time has passed the mean is the level.
  MeterReading close_second(TimePoint now);

  /// Requests in flight now.
  std::int64_t level() const { return level_; }

 private:
  void integrate(TimePoint now);

  TimePoint since_;  // of the last close
  TimePoint last_;   // up to here the integral is complete
  std::int64_t integral_ = 0;
  std::int64_t level_ = 0;
  std::int64_t peak_ = 0;
  std::uint64_t requests_ = 0;
};

/// When the second behind the one that ended at `last_end` is to be closed. After a pause of the
/// whole process one reading stands for all the time that passed, and it goes on from `now`.
constexpr TimePoint next_second_end(TimePoint last_end, TimePoint now) {
  constexpr Duration kSecond = std::chrono::seconds(1);
  return last_end + kSecond > now ? last_end + kSecond : now + kSecond;
}

}  // namespace bellows::metrics
