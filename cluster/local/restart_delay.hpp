// How long to wait before a crashed process is started again. Pure.
#pragma once

#include <algorithm>

#include "base/time.hpp"

namespace bellows::cluster {

/// The first wait, then 100 ms, doubled each time up to 10 s.
class RestartDelay {
 public:
  static constexpr Duration kMin = std::chrono::milliseconds(100);
  static constexpr Duration kMax = std::chrono::seconds(10);

  explicit RestartDelay(Duration first) : first_(first), next_(first) {}

  /// The wait before the coming start; the one after that is longer.
  Duration next() {
    const Duration wait = next_;
    next_ = std::clamp<Duration>(2 * wait, kMin, kMax);
    return wait;
  }

  /// It ran well: the next crash is a first one.
  void reset() { next_ = first_; }

 private:
  Duration first_;
  Duration next_;
};

}  // namespace bellows::cluster
