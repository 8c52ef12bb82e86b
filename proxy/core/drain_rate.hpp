// How fast slots became free recently, and so how long a rejected caller should wait. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.hpp"

namespace bellows::proxy {

/// Counts over the last ten seconds in which at least one request waited. While the queue is empty,
/// slots become free as fast as requests arrive, which does not show how fast they could.
class DrainRate {
 public:
  /// Call it before a request is enqueued and before a free slot is granted. `has_waiting`: the
  /// queue was not empty since the previous call.
  void advance(bool has_waiting, TimePoint now);

  /// A slot became free while a request waited. Counts with the next advance(). If the queue is
  /// empty by then, it counts without time, because it is unknown when the queue became empty.
  void note_freed() { ++freed_; }

  /// Slots per second; within the first second their number. Call it while a request waits.
  double per_second(TimePoint now) const;

  /// Whole seconds until `waiting` requests will have been granted at that rate: 1 to 60. If no
  /// slot ever became free: 1 for an empty queue, else 60.
  int retry_after_seconds(std::int64_t waiting, TimePoint now) const;

 private:
  static constexpr std::int64_t kSeconds = 10;

  TimePoint latest_{};      // call of advance()
  Duration waited_{};       // total time with a queue until then: the clock of the counts
  std::int64_t freed_ = 0;  // since then
  std::array<std::int64_t, kSeconds> counts_{};  // by second of that clock; a ring
  std::int64_t newest_ = 0;                      // second of the latest count
};

}  // namespace bellows::proxy
