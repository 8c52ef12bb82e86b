// Measures how fast slots became free recently, and so how long a rejected caller should wait.
// Pure.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.hpp"

namespace bellows::proxy {

/// Counts freed slots in the last ten seconds in which at least one request waited. While the queue
/// is empty, slots become free as fast as requests arrive, which does not show how fast they could.
class DrainRate {
 public:
  /// Advances the time. Call it before a request is enqueued and before a free slot is granted.
  /// `has_waiting`: the queue was not empty since the previous call.
  void advance(bool has_waiting, TimePoint now);

  /// Records that a slot became free while a request waited. It counts with the next advance(). If
  /// the queue is empty by then, it counts without time, because it is unknown when the queue
  /// became empty.
  void note_freed() { ++freed_; }

  /// Returns slots per second, or their number within the first second. Call it while a request
  /// waits.
  double per_second(TimePoint now) const;

  /// Returns after how many whole seconds `waiting` requests will have been granted at that rate: 1
  /// to 60. If no slot ever became free, it is 1 for an empty queue, else 60.
  int retry_after_seconds(std::int64_t waiting, TimePoint now) const;

 private:
  static constexpr std::int64_t kSeconds = 10;

  TimePoint latest_{};      // last call of advance()
  Duration waited_{};       // total time with a queue until then: the clock of the counts
  std::int64_t freed_ = 0;  // since then
  std::array<std::int64_t, kSeconds> counts_{};  // a ring, one per second of that clock
  std::int64_t newest_ = 0;                      // second of the latest count
};

}  // namespace bellows::proxy
