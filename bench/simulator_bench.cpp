// The cost of a simulated request: one hour at 1000 requests per second, ten slots per replica.
#include <benchmark/benchmark.h>

#include "simulator/simulation.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

Workload an_hour(Distribution service) {
  Workload workload;
  workload.traffic.per_minute.assign(60, 60'000);
  workload.traffic.length = 1h;
  workload.app.service = std::move(service);
  workload.warm_up = 5min;
  return workload;
}

void report(benchmark::State& state, std::uint64_t requests) {
  state.counters["ns_per_request"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * static_cast<double>(requests) / 1e9,
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void run(benchmark::State& state, const Workload& workload) {
  const LoadProfile profile = profile_load(workload);
  config::RevisionSettings settings;
  settings.container_concurrency = 10;
  Outcome outcome;
  for (auto _ : state) outcome = simulate(workload, profile, settings);
  report(state, outcome.served);
}

void hour_of_exponential_times(benchmark::State& state) {
  run(state, an_hour(Distribution::exponential(500ms)));
}
BENCHMARK(hour_of_exponential_times)->Unit(benchmark::kMillisecond);

void hour_of_lognormal_times(benchmark::State& state) {
  run(state, an_hour(Distribution::lognormal(400ms, 0.7)));
}
BENCHMARK(hour_of_lognormal_times)->Unit(benchmark::kMillisecond);

void hour_of_equal_times(benchmark::State& state) {
  run(state, an_hour(Distribution::fixed(500ms)));
}
BENCHMARK(hour_of_equal_times)->Unit(benchmark::kMillisecond);

void arrivals_alone(benchmark::State& state) {
  const Workload workload = an_hour(Distribution::exponential(500ms));
  std::uint64_t requests = 0;
  for (auto _ : state) {
    requests = 0;
    ArrivalStream stream = workload.arrivals();
    for (auto batch = stream.next(); !batch.empty(); batch = stream.next()) {
      requests += batch.size();
      benchmark::DoNotOptimize(batch.data());
    }
  }
  report(state, requests);
}
BENCHMARK(arrivals_alone)->Unit(benchmark::kMillisecond);

void load_profile_alone(benchmark::State& state) {
  const Workload workload = an_hour(Distribution::exponential(500ms));
  std::uint64_t requests = 0;
  for (auto _ : state) requests = profile_load(workload).requests;
  report(state, requests);
}
BENCHMARK(load_profile_alone)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bellows::simulator
