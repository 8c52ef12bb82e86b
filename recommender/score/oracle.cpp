#include "recommender/score/oracle.hpp"

#include <algorithm>
#include <cmath>

#include "recommender/score/sizers.hpp"

namespace bellows::recommender::score {

namespace {

constexpr std::size_t kCandidates = 16;

/// Returns at least one unit of each, because 0 would mean no request.
Request request_for(const Demand& demand) {
  const auto whole = [](double amount) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(amount)));
  };
  return {Millicores{whole(demand.cpu_cores * kMillicoresPerCore)},
          Bytes{whole(demand.memory_bytes)}};
}

Timeline with_requests(Workload workload, std::vector<Request> requests, Duration interval,
                       const SimulationSettings& settings) {
  workload.first = requests.front();
  Schedule schedule(std::move(requests), interval);
  SimulationSettings at_once = settings;
  at_once.apply = ApplyRule::kAtOnce;
  return simulate(workload, schedule, at_once);
}

/// Returns quantiles of `values`, and requests with these quantiles as limit.
std::vector<double> candidates_from(std::vector<double> values, double limit_ratio) {
  std::sort(values.begin(), values.end());
  std::vector<double> candidates;
  for (std::size_t i = 1; i <= kCandidates; ++i) {
    candidates.push_back(values[i * (values.size() - 1) / kCandidates]);
    candidates.push_back(candidates.back() / limit_ratio);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  return candidates;
}

Demand most_of_each(const std::vector<Demand>& demands) {
  Demand max;
  for (const Demand& demand : demands) {
    max.cpu_cores = std::max(max.cpu_cores, demand.cpu_cores);
    max.memory_bytes = std::max(max.memory_bytes, demand.memory_bytes);
  }
  return max;
}

/// Returns the constant request with the lowest cost; only `part` of `base` varies.
Demand best_of(const Workload& workload, const SimulationSettings& settings, double Demand::*part,
               double limit_ratio, const std::vector<Demand>& wanted, Demand base) {
  std::vector<double> values;
  for (const Demand& demand : wanted) values.push_back(demand.*part);
  Demand best = base;
  double min = HUGE_VAL;
  for (const double candidate : candidates_from(std::move(values), limit_ratio)) {
    base.*part = candidate;
    const Timeline timeline = with_requests(workload, {request_for(base)}, kOracleWindow, settings);
    const double price = cost(score(workload, timeline), kOraclePrices);
    if (price >= min) continue;
    min = price;
    best = base;
  }
  return best;
}

}  // namespace

Timeline perfect_next_window(const Workload& workload, const SimulationSettings& settings) {
  const std::vector<Demand> demands = undisturbed_demand(workload);
  const auto window =
      std::max<std::size_t>(1, static_cast<std::size_t>(kOracleWindow / workload.step));
  std::vector<Request> requests;
  for (std::size_t at = 0; at < demands.size(); at += window) {
    const auto begin = demands.begin() + static_cast<std::ptrdiff_t>(at);
    const auto end =
        demands.begin() + static_cast<std::ptrdiff_t>(std::min(at + window, demands.size()));
    requests.push_back(request_for(most_of_each({begin, end})));
  }
  const Duration interval = static_cast<Duration::rep>(window) * workload.step;
  return with_requests(workload, std::move(requests), interval, settings);
}

Timeline best_constant(const Workload& workload, const SimulationSettings& settings) {
  std::vector<Demand> wanted;
  const std::vector<Demand> demands = undisturbed_demand(workload);
  for (const Interval& life : workload.lifetimes) {
    wanted.insert(wanted.end(), demands.begin() + static_cast<std::ptrdiff_t>(life.begin),
                  demands.begin() + static_cast<std::ptrdiff_t>(life.end));
  }
  Demand best = most_of_each(wanted);
  best = best_of(workload, settings, &Demand::cpu_cores, settings.cpu_limit_ratio, wanted, best);
  best =
      best_of(workload, settings, &Demand::memory_bytes, settings.memory_limit_ratio, wanted, best);
  return with_requests(workload, {request_for(best)}, kOracleWindow, settings);
}

}  // namespace bellows::recommender::score
