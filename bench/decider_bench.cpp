// The cost of one decision, alone and with the windows it reads.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "autoscaler/core/decider.hpp"
#include "autoscaler/core/journal.hpp"
#include "autoscaler/explain/catalogue.hpp"
#include "metrics/revision_windows.hpp"

namespace bellows::autoscaler {
namespace {

using std::chrono::seconds;

ScalingSpec spec_of_ten() {
  ScalingSpec spec;
  spec.target = 7;
  spec.total = 10;
  return spec;
}

Observation busy() {
  Observation seen;
  seen.stable = {.total = 31.2, .per_pod = 6.24, .covered_seconds = 60};
  seen.panic = {.total = 55.4, .per_pod = 11.08, .covered_seconds = 6};
  seen.observed = seen.ready = seen.requested = 5;
  return seen;
}

void decision(benchmark::State& state) {
  const ScalingSpec spec = spec_of_ten();
  const Observation seen = busy();
  DeciderState memory;
  TimePoint now(seconds(86400));
  for (auto _ : state) {
    remember(memory, decide(spec, seen, memory, now));
    now += kEvaluationPeriod;
    benchmark::DoNotOptimize(memory);
  }
}
BENCHMARK(decision);

/// One decision of each of so many deciders. What 100,000 remember does not fit into the caches.
void decisions_of_all(benchmark::State& state) {
  const ScalingSpec spec = spec_of_ten();
  const Observation seen = busy();
  std::vector<DeciderState> memories(static_cast<std::size_t>(state.range(0)));
  TimePoint now(seconds(86400));
  for (auto _ : state) {
    for (DeciderState& memory : memories) remember(memory, decide(spec, seen, memory, now));
    now += kEvaluationPeriod;
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(decisions_of_all)->Arg(1)->Arg(100'000)->Unit(benchmark::kMillisecond);

void decision_with_journal(benchmark::State& state) {
  const ScalingSpec spec = spec_of_ten();
  const Observation seen = busy();
  DeciderState memory;
  Journal journal;
  TimePoint now(seconds(86400));
  for (auto _ : state) {
    const Decision decision = decide(spec, seen, memory, now);
    remember(memory, decision);
    journal.add(decision, nullptr);
    now += kEvaluationPeriod;
    benchmark::DoNotOptimize(journal);
  }
  state.counters["journal_bytes"] = sizeof(Journal);
}
BENCHMARK(decision_with_journal);

/// One minute of stats of the replicas, then decisions from the windows.
void decision_from_windows(benchmark::State& state) {
  metrics::RevisionWindows windows(seconds(60), seconds(6));
  const TimePoint begin(seconds(86400));
  for (int second = 0; second < 60; ++second) {
    for (int pod = 0; pod < state.range(0); ++pod) {
      metrics::Stat stat;
      stat.pod = PodName("web-" + std::to_string(pod));
      stat.boot = 1;
      stat.sequence = static_cast<std::uint64_t>(second);
      stat.concurrency = 6;
      windows.record(stat, begin + seconds(second));
    }
  }
  const ScalingSpec spec = spec_of_ten();
  Observation seen = busy();
  const TimePoint now = begin + seconds(59);
  for (auto _ : state) {
    seen.stable.total = windows.average(metrics::Window::kStable, now).total;
    seen.panic.total = windows.average(metrics::Window::kPanic, now).total;
    Decision decision = decide(spec, seen, {}, now);
    benchmark::DoNotOptimize(decision);
  }
}
BENCHMARK(decision_from_windows)->Arg(1)->Arg(10)->Arg(100);

void reason(benchmark::State& state) {
  const Decision decision = decide(spec_of_ten(), busy(), {}, TimePoint(seconds(86400)));
  for (auto _ : state) benchmark::DoNotOptimize(explain::brief(decision));
}
BENCHMARK(reason);

}  // namespace
}  // namespace bellows::autoscaler
