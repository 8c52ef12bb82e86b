// Detects another client that sets the number of replicas back again and again: a GitOps tool whose
// manifest has spec.replicas.
#pragma once

#include <deque>

#include "base/time.hpp"

namespace bellows::cluster {

/// The number is written again each time. After three times within a minute, the next orders wait
/// 30 s each, until it was not set back for five minutes: two programs that overwrite each other
/// start and end pods all the time.
class SetBack {
 public:
  static constexpr int kTimes = 3;
  static constexpr Duration kWithin = std::chrono::minutes(1);
  static constexpr Duration kSlow = std::chrono::seconds(30);
  static constexpr Duration kForgotten = std::chrono::minutes(5);

  /// Records that we wrote the number.
  void wrote(TimePoint now) { wrote_ = now; }
  /// Records that it differs from what we wrote. Returns true if this makes orders slow.
  bool set_back(TimePoint now);

  bool is_slow(TimePoint now) const;
  /// Returns when the next order may be written; `now` or earlier: at once.
  TimePoint next_order(TimePoint now) const;
  /// Returns how often it was set back within the last minute.
  int times(TimePoint now) const;

 private:
  std::deque<TimePoint> times_;  // within the last minute
  TimePoint wrote_{};
  TimePoint slow_until_{};
};

}  // namespace bellows::cluster
