#include "cli/machine/rise_watch.hpp"

namespace bellows::cli {

bool RiseWatch::rose_lately(const RevisionId& service, Order order, TimePoint now) {
  Seen& seen = seen_[service];
  if (order.want > seen.want) seen.rose = now;
  seen.want = order.want;
  return seen.rose && now - *seen.rose < order.window;
}

}  // namespace bellows::cli
