// Exponential backoff between the restarts of a crashed process. Pure.
#pragma once

#include <algorithm>

#include "base/random.hpp"
#include "base/time.hpp"

namespace bellows::cluster {

/// The first delay, then 100 ms, doubled each time up to 10 s. With randomness, delays above 100 ms
/// are up to half shorter: replicas that crash for one reason must not restart at the same time,
/// with pauses in between.
class RestartBackoff {
 public:
  static constexpr Duration kMin = std::chrono::milliseconds(100);
  static constexpr Duration kMax = std::chrono::seconds(10);

  /// `random`: nullptr: exact delays. It outlives this.
  explicit RestartBackoff(Duration first, Random* random = nullptr)
      : first_(first), next_(first), random_(random) {}

  /// Returns the delay before the next start; the following one is longer.
  Duration next() {
    const Duration wait = next_;
    next_ = std::clamp<Duration>(2 * wait, kMin, kMax);
    if (random_ == nullptr || wait <= kMin) return wait;
    return from_seconds(to_seconds(wait) * (1 - random_->fraction() / 2));
  }

  /// Returns to the first delay: the process ran long enough.
  void reset() { next_ = first_; }

 private:
  Duration first_;
  Duration next_;
  Random* random_;
};

}  // namespace bellows::cluster
