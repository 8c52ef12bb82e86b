#include "recommender/score/workload.hpp"

#include <algorithm>

namespace bellows::recommender::score {

Demand Workload::at(std::size_t when, std::size_t age) const {
  Demand demand = by_time[when];
  if (by_age.empty()) return demand;
  const Demand& added = by_age[std::min(age, by_age.size() - 1)];
  demand.cpu_cores += added.cpu_cores;
  demand.memory_bytes += added.memory_bytes;
  return demand;
}

bool Workload::is_crashing(std::size_t when) const {
  return std::any_of(crashing.begin(), crashing.end(), [&](const Interval& interval) {
    return interval.begin <= when && when < interval.end;
  });
}

std::vector<Demand> undisturbed_demand(const Workload& workload) {
  std::vector<Demand> demands(workload.by_time.size());
  for (const Interval& life : workload.lifetimes) {
    for (std::size_t step = life.begin; step < life.end; ++step) {
      demands[step] = workload.at(step, step - life.begin);
    }
  }
  return demands;
}

}  // namespace bellows::recommender::score
