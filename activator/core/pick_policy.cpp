#include "activator/core/pick_policy.hpp"

namespace bellows::activator {

PodTracker* LeastInFlight::pick(std::span<const std::unique_ptr<PodTracker>> pods, TimePoint now) {
  PodTracker* best = nullptr;
  std::size_t best_at = 0;
  std::size_t at = next_ < pods.size() ? next_ : 0;
  for (std::size_t seen = 0; seen < pods.size(); ++seen) {
    PodTracker& pod = *pods[at];
    if ((best == nullptr || pod.in_flight() < best->in_flight()) && pod.can_take(now)) {
      best = &pod;
      best_at = at;
      if (pod.in_flight() == 0) break;
    }
    if (++at == pods.size()) at = 0;
  }
  if (best != nullptr) next_ = best_at + 1;
  return best;
}

}  // namespace bellows::activator
