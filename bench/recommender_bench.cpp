// 100,000 containers: samples, all recommendations, memory; and the sparse histogram compared with
// a plain dense one.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "recommender/core/policy.hpp"
#include "recommender/kubernetes/core/cluster_state.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

/// Usage like that of services, in cores: around a level per container, with a long tail.
class Loads {
 public:
  double next(std::size_t container) {
    const double level = 0.02 * std::exp2(static_cast<double>(container % 8));
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    const double part = static_cast<double>(state_ >> 11) / 0x1p53;
    return level * (0.6 + part + (part > 0.98 ? 3 : 0));
  }

 private:
  std::uint64_t state_ = 42;
};

/// One container per workload, so that the full cost of a workload is counted.
struct Fleet {
  Fleet(RecommenderPolicy kind, std::size_t containers) {
    const auto settings = std::make_shared<const WorkloadSettings>();
    const std::size_t before = mallinfo2().uordblks;
    for (std::size_t i = 0; i < containers; ++i) {
      policies.push_back(make_policy(kind, settings));
      policies.back()->add_instance(PodName("web-" + std::to_string(i)), ContainerName("app"),
                                    replay_time(0));
    }
    for (int i = 0; i < 180; ++i) sample_all();
    bytes = mallinfo2().uordblks - before;
  }

  void sample_all() {
    at += 500;
    const WallTime time = replay_time(at);
    for (std::size_t i = 0; i < policies.size(); ++i) {
      const double cores = loads.next(i);
      benchmark::DoNotOptimize(policies[i]->record({0}, Usage{time, Resource::kCpu, cores}));
      benchmark::DoNotOptimize(
          policies[i]->record({0}, Usage{time, Resource::kMemory, cores * 1e9}));
    }
  }

  std::vector<std::unique_ptr<Policy>> policies;
  Loads loads;
  double at = 200;
  std::size_t bytes = 0;
};

constexpr std::size_t kContainers = 100'000;

void samples(benchmark::State& state, RecommenderPolicy kind) {
  Fleet fleet(kind, kContainers);
  for (auto _ : state) fleet.sample_all();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(2 * kContainers));
  state.counters["bytes/container"] =
      static_cast<double>(fleet.bytes) / static_cast<double>(kContainers);
}

void loop(benchmark::State& state, RecommenderPolicy kind) {
  Fleet fleet(kind, kContainers);
  for (auto _ : state) {
    fleet.at += 60;
    for (auto& policy : fleet.policies) {
      benchmark::DoNotOptimize(policy->recommend(replay_time(fleet.at)));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kContainers));
}

BENCHMARK_CAPTURE(samples, vpa, RecommenderPolicy::kVpa)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(samples, spike, RecommenderPolicy::kSpike)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(samples, hybrid, RecommenderPolicy::kHybrid)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(loop, vpa, RecommenderPolicy::kVpa)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(loop, spike, RecommenderPolicy::kSpike)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(loop, hybrid, RecommenderPolicy::kHybrid)->Unit(benchmark::kMillisecond);

/// The plain implementation: 176 doubles, one decayed weight added, all of them scanned.
class DenseHistogram {
 public:
  void add(double value, double weight, WallTime at) {
    const double days = static_cast<double>((at - kReplayEpoch).count()) / 864e11;
    const double decayed = weight * std::exp2(days);
    weights_[cpu_buckets().find(value)] += decayed;
    total_ += decayed;
  }
  double percentile(double fraction) const {
    double sum = 0;
    std::size_t bucket = 0;
    for (; bucket + 1 < kBuckets; ++bucket) {
      sum += weights_[bucket];
      if (sum >= fraction * total_) break;
    }
    return cpu_buckets().end(bucket);
  }

 private:
  std::array<double, kBuckets> weights_{};
  double total_ = 0;
};

const HistogramOptions kOptions{cpu_buckets(), std::chrono::hours(24)};

template <class Histogram>
void fill_histograms(benchmark::State& state, std::vector<Histogram> histograms) {
  Loads loads;
  double at = 1000;
  for (auto _ : state) {
    at += 60;
    for (std::size_t i = 0; i < histograms.size(); ++i) {
      histograms[i].add(loads.next(i), 0.1, replay_time(at));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(histograms.size()));
}

void sparse_add(benchmark::State& state) {
  fill_histograms(state, std::vector<Histogram>(kContainers, Histogram(kOptions)));
}
void dense_add(benchmark::State& state) {
  fill_histograms(state, std::vector<DenseHistogram>(kContainers));
}
BENCHMARK(sparse_add)->Unit(benchmark::kMillisecond);
BENCHMARK(dense_add)->Unit(benchmark::kMillisecond);

template <class Histogram>
void read_histograms(benchmark::State& state, std::vector<Histogram> histograms) {
  Loads loads;
  for (int i = 0; i < 100; ++i) {
    for (std::size_t j = 0; j < histograms.size(); ++j) {
      histograms[j].add(loads.next(j), 0.1, replay_time(1000 + i * 60));
    }
  }
  for (auto _ : state) {
    for (const Histogram& histogram : histograms) {
      benchmark::DoNotOptimize(histogram.percentile(0.9));
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(histograms.size()));
}

void sparse_percentile(benchmark::State& state) {
  read_histograms(state, std::vector<Histogram>(kContainers, Histogram(kOptions)));
}
void dense_percentile(benchmark::State& state) {
  read_histograms(state, std::vector<DenseHistogram>(kContainers));
}
BENCHMARK(sparse_percentile)->Unit(benchmark::kMillisecond);
BENCHMARK(dense_percentile)->Unit(benchmark::kMillisecond);

/// 3,000 VerticalPodAutoscalers, each with a pod of ten containers, as on a cluster.
struct VerticalFleet {
  static constexpr std::size_t kObjects = 3000;

  explicit VerticalFleet(RecommenderPolicy policy) : state(options(policy)) {
    for (std::size_t i = 0; i < kObjects; ++i) add(i);
    for (int minute = 1; minute <= 60; ++minute) measure(minute);
    state.metrics_read();
  }

  static ClusterOptions options(RecommenderPolicy policy) {
    ClusterOptions made;
    made.policies.policy = policy;
    return made;
  }

  void add(std::size_t i) {
    const std::string name = "web-" + std::to_string(i);
    VerticalAutoscaler object;
    object.meta.ns = "shop";
    object.meta.name = name;
    object.recommenders = {"bellows"};
    kubernetes::Pod pod;
    pod.meta = object.meta;
    pod.meta.labels = kubernetes::StringMap({{"app", name}});
    pod.phase = kubernetes::PodPhase::kRunning;
    std::vector<kubernetes::Container> containers;
    kubernetes::PodMetrics& metrics = measured.emplace_back();
    metrics.meta = object.meta;
    for (int c = 0; c < 10; ++c) {
      containers.emplace_back().name = "app-" + std::to_string(c);
      metrics.containers.emplace_back().name = containers.back().name;
    }
    pod.containers = kubernetes::SharedList(std::move(containers));
    const std::string key = "shop/" + name;
    state.object_changed(nullptr, std::make_shared<VerticalAutoscaler>(object), replay_time(0));
    state.target_found(key, {.selector = kubernetes::Selector::of_map(pod.meta.labels)});
    state.history_read(key);
    state.pod_changed(nullptr, std::make_shared<kubernetes::Pod>(pod), replay_time(0));
  }

  void measure(int minute) {
    const WallTime now = replay_time(minute * 60);
    for (kubernetes::PodMetrics& pod : measured) {
      pod.measured = now;
      for (kubernetes::ContainerMetrics& each : pod.containers) {
        const double cores = loads.next(static_cast<std::size_t>(minute));
        each.cpu = {static_cast<std::int64_t>(cores * 1000)};
        each.memory = {static_cast<std::int64_t>(cores * 1e9)};
      }
      state.take(pod, now);
    }
  }

  ClusterState state;
  std::vector<kubernetes::PodMetrics> measured;
  Loads loads;
};

/// From samples to the statuses that would be written: the CPU of a loop without its I/O.
void vertical_loop(benchmark::State& state, RecommenderPolicy policy) {
  VerticalFleet fleet(policy);
  int minute = 60;
  for (auto _ : state) {
    fleet.measure(++minute);
    fleet.state.recommend(replay_time(minute * 60));
    benchmark::DoNotOptimize(fleet.state.status_writes(replay_time(minute * 60)));
  }
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(10 * VerticalFleet::kObjects));
}
BENCHMARK_CAPTURE(vertical_loop, vpa, RecommenderPolicy::kVpa)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(vertical_loop, hybrid, RecommenderPolicy::kHybrid)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bellows::recommender
