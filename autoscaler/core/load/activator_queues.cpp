#include "autoscaler/core/load/activator_queues.hpp"

#include <cmath>

namespace bellows::autoscaler {

void ActivatorQueues::record(const PodName& activator, Concurrency waiting, TimePoint at) {
  const auto [it, is_new] = queues_.try_emplace(activator, Queue{waiting, at});
  if (!is_new && at >= it->second.reported_at) it->second = {waiting, at};
}

std::uint64_t ActivatorQueues::waiting(TimePoint now) {
  std::erase_if(queues_,
                [&](const auto& queue) { return now - queue.second.reported_at > dead_after_; });
  double sum = 0;
  for (const auto& [activator, queue] : queues_) sum += queue.waiting;
  return static_cast<std::uint64_t>(std::ceil(sum));
}

std::vector<std::string> ActivatorQueues::reporting(TimePoint now) const {
  std::vector<std::string> names;
  for (const auto& [activator, queue] : queues_) {
    if (now - queue.reported_at <= dead_after_) names.push_back(activator.text());
  }
  return names;
}

}  // namespace bellows::autoscaler
