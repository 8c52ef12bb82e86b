// What a stat with a reading costs: on the wire, and in the slow brain.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "autoscaler/slow/slow_brain.hpp"
#include "metrics/stat_codec.hpp"

namespace bellows::autoscaler::slow {
namespace {

using namespace std::chrono_literals;

/// A busy second: 30 buckets of service times, everything measured.
metrics::Stat busy_stat(int replica) {
  metrics::ServiceTimeCounts counts{};
  for (std::size_t i = 60; i < 90; ++i) counts[i] = static_cast<std::uint32_t>(i % 7 + 1);
  metrics::ReplicaReading reading;
  reading.completed = 200;
  reading.times = metrics::ServiceTimes(counts);
  reading.cpu = 400ms;
  reading.cpu_limit = Millicores{1000};
  reading.memory = mebibytes(200);
  reading.memory_limit = mebibytes(1000);
  return {.revision = RevisionId("a-namespace-of-a-team/checkout-service-00042-aaaaaaaaaa"),
          .pod = PodName("checkout-service-00042-deployment-6b7c9d8f4b-x2x2x-" +
                         std::to_string(1000 + replica)),
          .boot = 1,
          .sequence = 7,
          .concurrency = 3.25 + replica % 5,
          .peak = 9,
          .requests = 200,
          .reading = metrics::ReadingPtr(reading)};
}

/// Seconds of `range` replicas in turn, all of them older than a minute.
void record_reading(benchmark::State& state) {
  std::vector<metrics::Stat> stats;
  for (int i = 0; i < state.range(0); ++i) stats.push_back(busy_stat(i));
  IntervalMeter meter;
  meter.expect_old(TimePoint::max());
  TimePoint now{1h};
  std::size_t next = 0;
  for (auto _ : state) {
    meter.record(stats[next], {}, now);
    if (++next == stats.size()) {
      next = 0;
      now += 1s;
    }
  }
}
BENCHMARK(record_reading)->Arg(1)->Arg(1000);

void evaluate_interval(benchmark::State& state) {
  SlowState learned;
  TimePoint now{1h};
  for (auto _ : state) {
    state.PauseTiming();
    IntervalMeter meter;
    meter.expect_old(TimePoint::max());
    for (int i = 0; i < 60; ++i) meter.record(busy_stat(i), {}, now);
    now += 30s;
    const Interval interval = meter.take(now, false);
    state.ResumeTiming();
    benchmark::DoNotOptimize(evaluate({}, learned, interval));
  }
}
BENCHMARK(evaluate_interval);

void encode_reading(benchmark::State& state) {
  const metrics::Stat stat = busy_stat(1);
  for (auto _ : state) benchmark::DoNotOptimize(metrics::encode(stat));
  state.counters["bytes"] = static_cast<double>(metrics::encode(stat).size());
}
BENCHMARK(encode_reading);

void decode_reading(benchmark::State& state) {
  const std::string bytes = metrics::encode(busy_stat(1));
  for (auto _ : state) benchmark::DoNotOptimize(metrics::decode(bytes));
}
BENCHMARK(decode_reading);

}  // namespace
}  // namespace bellows::autoscaler::slow
