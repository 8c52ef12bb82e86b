#include "activator/service/uncounted_requests.hpp"

#include <algorithm>

namespace bellows::activator {

bool UncountedRequests::empty() const {
  const auto is_zero = [](std::uint64_t count) { return count == 0; };
  return ended.empty() && held.empty() && cold_starts.empty() &&
         std::ranges::all_of(retried, is_zero) && std::ranges::all_of(ejected, is_zero);
}

void UncountedRequests::count_in(RevisionInstruments& instruments) const {
  for (const Ended& each : ended) instruments.request_ended(each.status, each.total);
  for (const Duration waited : held) instruments.request_held(waited);
  for (const ColdStart& start : cold_starts) instruments.cold_start_ended(start);
  for (const FailureReason why : kFailureReasons) {
    const auto place = static_cast<std::size_t>(why);
    instruments.request_retried(why, retried[place]);
    instruments.replica_ejected(why, ejected[place]);
  }
}

}  // namespace bellows::activator
