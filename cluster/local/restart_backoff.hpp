// Exponential backoff between the restarts of a crashed process. Pure.
#pragma once

#include <algorithm>

#include "base/time.hpp"

namespace bellows::cluster {

/// The first delay, then 100 ms, doubled each time up to 10 s.
class RestartBackoff {
 public:
  static constexpr Duration kMin = std::chrono::milliseconds(100);
  static constexpr Duration kMax = std::chrono::seconds(10);

  explicit RestartBackoff(Duration first) : first_(first), next_(first) {}

  /// The delay before the next start; the one after that is longer.
  Duration next() {
    const Duration wait = next_;
    next_ = std::clamp<Duration>(2 * wait, kMin, kMax);
    return wait;
  }

  /// The process ran long enough: the next delay is the first one again.
  void reset() { next_ = first_; }

 private:
  Duration first_;
  Duration next_;
};

}  // namespace bellows::cluster
