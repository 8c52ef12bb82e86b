// When a sleeping revision is to be woken.
#pragma once

#include <cstddef>
#include <optional>

#include "base/time.hpp"

namespace bellows::activator {

/// A wake that got lost (autoscaler restarting, stream cut) is said again after this.
inline constexpr Duration kWakeAgainAfter = std::chrono::seconds(1);

/// Somebody waits and nobody is there: say so at once, and again each second until that is no
/// longer true. Owner: one revision's throttler.
class Activation {
 public:
  /// To be asked after every change and at next_wake(). True: wake the revision now.
  bool wake_now(std::size_t waiting, bool anything_ready, TimePoint now);

  /// For how long it has been said, without a gap; zero with the first time.
  Duration woken_for(TimePoint now) const;

  /// When to ask again, while somebody waits for a revision that sleeps.
  std::optional<TimePoint> next_wake() const;

 private:
  std::optional<TimePoint> first_wake_;
  std::optional<TimePoint> last_wake_;
};

}  // namespace bellows::activator
