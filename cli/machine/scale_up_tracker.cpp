#include "cli/machine/scale_up_tracker.hpp"

namespace bellows::cli {

bool ScaleUpTracker::scaled_up_recently(const RevisionId& service, Order order, TimePoint now) {
  Seen& seen = seen_[service];
  if (order.desired > seen.desired) seen.increased_at = now;
  seen.desired = order.desired;
  return seen.increased_at && now - *seen.increased_at < order.window;
}

}  // namespace bellows::cli
