#include "activator/core/pick_policy.hpp"

namespace bellows::activator {
namespace {

using config::LoadBalancing;

/// Returns the index of the first replica from `begin` on, wrapping around, that can take a
/// request; the number of replicas if none can.
std::size_t next_available(Pods pods, std::size_t begin, TimePoint now) {
  std::size_t at = begin < pods.size() ? begin : 0;
  for (std::size_t seen = 0; seen < pods.size(); ++seen) {
    if (pods[at]->can_take(now)) return at;
    if (++at == pods.size()) at = 0;
  }
  return pods.size();
}

/// Returns Knative's default policy (knative.md 4.2).
LoadBalancing knative_choice(std::int32_t container_concurrency) {
  constexpr std::int32_t kMaxPacked = 3;
  if (container_concurrency == 0) return LoadBalancing::kRandomChoice2;
  return container_concurrency <= kMaxPacked ? LoadBalancing::kFirstAvailable
                                             : LoadBalancing::kRoundRobin;
}

}  // namespace

PodTracker* LeastLoaded::pick(Pods pods, TimePoint now) {
  if (pods.empty()) return nullptr;
  if (!next_) next_ = random_.next() % pods.size();
  PodTracker* best = nullptr;
  std::int32_t best_load = 0;
  std::size_t best_at = 0;
  std::size_t at = *next_ < pods.size() ? *next_ : 0;
  for (std::size_t seen = 0; seen < pods.size(); ++seen) {
    PodTracker& pod = *pods[at];
    const std::int32_t load = pod.load(now);
    const bool is_better = best == nullptr || load < best_load ||
                           (load == best_load && pod.is_preferred() && !best->is_preferred());
    if (is_better && pod.can_take(now)) {
      best = &pod;
      best_load = load;
      best_at = at;
      if (load == 0 && pod.is_preferred()) break;
    }
    if (++at == pods.size()) at = 0;
  }
  if (best != nullptr) next_ = best_at + 1;
  return best;
}

PodTracker* RandomChoice2::pick(Pods pods, TimePoint now) {
  if (pods.empty()) return nullptr;
  const std::size_t first = random_.next() % pods.size();
  std::size_t second = first;
  if (pods.size() > 1) {
    second = random_.next() % (pods.size() - 1);
    if (second >= first) ++second;
  }
  PodTracker* a = pods[first]->can_take(now) ? pods[first].get() : nullptr;
  PodTracker* b = pods[second]->can_take(now) ? pods[second].get() : nullptr;
  if (a != nullptr && b != nullptr) {
    if (a->in_flight() != b->in_flight()) return a->in_flight() < b->in_flight() ? a : b;
    return (random_.next() & 1U) == 0 ? a : b;
  }
  if (a != nullptr) return a;
  if (b != nullptr) return b;
  const std::size_t at = next_available(pods, first, now);
  return at == pods.size() ? nullptr : pods[at].get();
}

PodTracker* FirstAvailable::pick(Pods pods, TimePoint now) {
  const std::size_t at = next_available(pods, 0, now);
  return at == pods.size() ? nullptr : pods[at].get();
}

PodTracker* RoundRobin::pick(Pods pods, TimePoint now) {
  const std::size_t at = next_available(pods, next_, now);
  if (at == pods.size()) return nullptr;
  next_ = at + 1;
  return pods[at].get();
}

bool uses_reported_load(LoadBalancing choice) {
  return choice == LoadBalancing::kLeastLoaded;
}

std::unique_ptr<PickPolicy> make_pick_policy(LoadBalancing choice,
                                             std::int32_t container_concurrency, Random& random) {
  if (choice == LoadBalancing::kKnative) choice = knative_choice(container_concurrency);
  switch (choice) {
    case LoadBalancing::kRandomChoice2:
      return std::make_unique<RandomChoice2>(random);
    case LoadBalancing::kFirstAvailable:
      return std::make_unique<FirstAvailable>();
    case LoadBalancing::kRoundRobin:
      return std::make_unique<RoundRobin>();
    case LoadBalancing::kKnative:
    case LoadBalancing::kLeastLoaded:
      break;
  }
  return std::make_unique<LeastLoaded>(random);
}

}  // namespace bellows::activator
