// Warm windows of one revision: recording stats, reading averages, and the memory per pod.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <string>
#include <vector>

#include "metrics/knative/bucket_window.hpp"
#include "metrics/revision_windows.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{24h};

std::vector<Stat> stats_of(std::int64_t pods) {
  std::vector<Stat> stats(static_cast<std::size_t>(pods));
  for (std::size_t i = 0; i < stats.size(); ++i) {
    stats[i].revision = RevisionId("checkout-service-00042");
    stats[i].pod = PodName("checkout-service-00042-deployment-7d9f8b6c54-" + std::to_string(i));
    stats[i].concurrency = 2.5;
    stats[i].peak = 4;
    stats[i].requests = 900;
  }
  return stats;
}

void record_all(RevisionWindows& windows, std::vector<Stat>& stats, TimePoint now) {
  for (Stat& stat : stats) {
    ++stat.sequence;
    benchmark::DoNotOptimize(windows.record(stat, now));
  }
}

TimePoint warm_up(RevisionWindows& windows, std::vector<Stat>& stats) {
  TimePoint now = kStart;
  for (int s = 0; s < 120; ++s) record_all(windows, stats, now += 1s);
  return now;
}

constexpr Measure kWeighted{Metric::kConcurrency, Aggregation::kWeightedExponential};

/// One second of all pods; the result is the time for the whole second.
void record_second(benchmark::State& state) {
  RevisionWindows windows(60s, 6s);
  auto stats = stats_of(state.range(0));
  TimePoint now = warm_up(windows, stats);
  for (auto _ : state) record_all(windows, stats, now += 1s);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(record_second)->Arg(1)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000);

void record_second_weighted(benchmark::State& state) {
  RevisionWindows windows(60s, 6s);
  windows.measure_by(kWeighted);
  auto stats = stats_of(state.range(0));
  TimePoint now = warm_up(windows, stats);
  for (auto _ : state) record_all(windows, stats, now += 1s);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(record_second_weighted)->Arg(1)->Arg(1000);

void record_duplicate(benchmark::State& state) {
  RevisionWindows windows(60s, 6s);
  auto stats = stats_of(1);
  const TimePoint now = warm_up(windows, stats);
  for (auto _ : state) benchmark::DoNotOptimize(windows.record(stats.front(), now));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(record_duplicate);

/// Reads both windows as one decision does, two seconds after the last read.
void read_both(benchmark::State& state) {
  RevisionWindows windows(60s, 6s);
  auto stats = stats_of(state.range(0));
  TimePoint now = warm_up(windows, stats);
  for (auto _ : state) {
    state.PauseTiming();
    record_all(windows, stats, now += 1s);
    record_all(windows, stats, now += 1s);
    state.ResumeTiming();
    benchmark::DoNotOptimize(windows.average(Window::kStable, now));
    benchmark::DoNotOptimize(windows.average(Window::kPanic, now));
  }
}
BENCHMARK(read_both)->Arg(10)->Arg(1000);

/// The same without new stats: only the sums are accessed.
void read_both_again(benchmark::State& state) {
  RevisionWindows windows(60s, 6s);
  auto stats = stats_of(state.range(0));
  const TimePoint now = warm_up(windows, stats);
  for (auto _ : state) {
    benchmark::DoNotOptimize(windows.average(Window::kStable, now));
    benchmark::DoNotOptimize(windows.average(Window::kPanic, now));
  }
}
BENCHMARK(read_both_again)->Arg(1)->Arg(10)->Arg(100)->Arg(1000);

void read_both_again_weighted(benchmark::State& state) {
  RevisionWindows windows(60s, 6s);
  windows.measure_by(kWeighted);
  auto stats = stats_of(state.range(0));
  const TimePoint now = warm_up(windows, stats);
  for (auto _ : state) {
    benchmark::DoNotOptimize(windows.average(Window::kStable, now));
    benchmark::DoNotOptimize(windows.average(Window::kPanic, now));
  }
}
BENCHMARK(read_both_again_weighted)->Arg(1)->Arg(1000);

/// Knative's windows: one record and one read per second; and a read after 30 s without records.
void knative_record_and_read(benchmark::State& state) {
  const auto aggregation =
      state.range(0) == 0 ? Aggregation::kLinear : Aggregation::kWeightedExponential;
  knative::BucketWindow window(60s, aggregation);
  TimePoint now = kStart;
  for (auto _ : state) {
    window.record(now += 1s, 2.5);
    benchmark::DoNotOptimize(window.average(now));
  }
}
BENCHMARK(knative_record_and_read)->ArgName("weighted")->Arg(0)->Arg(1);

void knative_read_in_a_gap(benchmark::State& state) {
  const auto aggregation =
      state.range(0) == 0 ? Aggregation::kLinear : Aggregation::kWeightedExponential;
  knative::BucketWindow window(60s, aggregation);
  for (int s = 0; s < 60; ++s) window.record(kStart + s * 1s, 2.5);
  for (auto _ : state) benchmark::DoNotOptimize(window.average(kStart + 90s));
}
BENCHMARK(knative_read_in_a_gap)->ArgName("weighted")->Arg(0)->Arg(1);

/// A million stats of ten pods, with every measure: the memory in use afterwards minus before.
void memory_over_a_million_stats(benchmark::State& state) {
  RevisionWindows windows(60s, 6s);
  auto stats = stats_of(10);
  TimePoint now = warm_up(windows, stats);
  const std::size_t before = mallinfo2().uordblks;
  for (auto _ : state) {
    for (int second = 0; second < 100'000; ++second) {
      if (second == 50'000) windows.measure_by(kWeighted);
      record_all(windows, stats, now += 1s);
    }
  }
  state.counters["bytes_grown"] = static_cast<double>(mallinfo2().uordblks - before);
}
BENCHMARK(memory_over_a_million_stats)->Iterations(1);

void memory_per_pod(benchmark::State& state) {
  constexpr std::int64_t kPods = 1000;
  auto stats = stats_of(kPods);
  for (auto _ : state) {
    const std::size_t before = mallinfo2().uordblks;
    RevisionWindows windows(std::chrono::seconds(state.range(0)), 6s);
    record_all(windows, stats, kStart);
    const std::size_t used = mallinfo2().uordblks - before;
    state.counters["bytes_per_pod"] = static_cast<double>(used) / kPods;
  }
}
BENCHMARK(memory_per_pod)->Arg(60)->Arg(3600)->Iterations(1);

}  // namespace
}  // namespace bellows::metrics
