// R10: loops of the slack planner on 5,000 nodes with 150,000 pods, and the slope to 20,000 nodes.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "slack/core/planner.hpp"

namespace bellows::slack {
namespace {

constexpr int kShapes = 300;
constexpr int kPodsPerNode = 30;
constexpr std::int64_t kGi = std::int64_t{1} << 30U;

Settings tenth(std::int64_t candidates) {
  Settings settings;
  settings.rate.millionths = 100000;
  settings.scale_down_candidates = candidates;
  return settings;
}

/// Nodes of 16 cores with 30 pods of 300 shapes. `idle_every`: each n-th node runs six pods only.
class Large {
 public:
  Large(int nodes, int idle_every, std::int64_t candidates)
      : planner(tenth(candidates)), nodes_(nodes) {
    NodeType type;
    type.name = "m";
    type.allocatable = kNode;
    planner.set_types({type});
    for (int i = 0; i < kShapes; ++i) {
      Shape shape;
      shape.name = "default/Deployment/app" + std::to_string(i);
      shape.space = "default";
      shape.labels = {{"app", std::to_string(i)}};
      shape.requests = {300 + i % 7 * 50, kGi + i % 5 * kGi / 4, 1};
      shapes.push_back(planner.cluster().intern(shape));
    }
    for (int i = 0; i < nodes; ++i) {
      add_node(i);
      const int pods = idle_every > 0 && i % idle_every == 0 ? kPodsPerNode / 5 : kPodsPerNode;
      for (int pod = 0; pod < pods; ++pod) add_pod(name(i));
    }
  }

  static NodeSpec spec_of(int i) {
    NodeSpec spec;
    spec.name = name(i);
    spec.type = "m";
    spec.allocatable = kNode;
    return spec;
  }
  void add_node(int i) { CHECK(planner.cluster().put_node(spec_of(i)), "a new node is put"); }
  static std::string name(int node) { return "m-" + std::to_string(100'000 + node); }
  void add_pod(const std::string& node) {
    names_.push_back("default/pod-" + std::to_string(10'000'000 + next_++));
    CHECK(planner.cluster().put_pod({names_.back(), shapes[random_.next() % kShapes], node}),
          "a new pod is put");
  }
  /// What a watch brings: pods that go and as many that come, anywhere, and nodes of which a label
  /// is changed that nobody looks at.
  struct Changes {
    struct Added {
      std::string name;
      ShapeId shape;
      std::string node;
    };
    std::vector<std::string> removed;
    std::vector<Added> added;
    std::vector<NodeSpec> nodes;
  };
  Changes next_changes(int pods, int nodes) {
    Changes changes;
    for (int i = 0; i < pods; ++i) {
      std::swap(names_[random_.next() % names_.size()], names_.back());
      changes.removed.push_back(std::move(names_.back()));
      names_.pop_back();
    }
    for (int i = 0; i < pods; ++i) {
      names_.push_back("default/pod-" + std::to_string(10'000'000 + next_++));
      changes.added.push_back({names_.back(), shapes[random_.next() % kShapes], any_node()});
    }
    for (int i = 0; i < nodes; ++i) {
      changes.nodes.push_back(spec_of(0));
      changes.nodes.back().name = any_node();
      changes.nodes.back().labels = {{"turn", std::to_string(next_)}};
    }
    return changes;
  }
  void apply(const Changes& changes) {
    Cluster& cluster = planner.cluster();
    std::vector<std::string_view> removed(changes.removed.begin(), changes.removed.end());
    for (std::size_t i = 0; i < removed.size(); ++i) {
      if (i % Cluster::kAhead == 0) cluster.fetch_ahead(std::span(removed).subspan(i));
      CHECK(cluster.remove_pod(removed[i]), "a pod that exists is removed");
    }
    std::vector<std::string_view> added;
    for (const Changes::Added& one : changes.added) added.push_back(one.name);
    for (std::size_t i = 0; i < added.size(); ++i) {
      if (i % Cluster::kAhead == 0) cluster.fetch_ahead(std::span(added).subspan(i));
      const Changes::Added& one = changes.added[i];
      CHECK(cluster.put_pod({one.name, one.shape, one.node}), "a new pod is put");
    }
    for (const NodeSpec& spec : changes.nodes) CHECK(cluster.put_node(spec), "a node is changed");
  }
  void settle() {
    while (!planner.loop().ordered_now.empty()) {
    }
  }

  Planner planner;
  std::vector<ShapeId> shapes;

 private:
  std::string any_node() {
    return name(static_cast<int>(random_.next() % static_cast<std::uint64_t>(nodes_)));
  }

  static constexpr Resources kNode{16000, 64 * kGi, 110};
  int nodes_;
  std::vector<std::string> names_;
  SeededRandom random_{7};
  int next_ = 0;
};

void count(benchmark::State& state, const Work& work) {
  state.counters["nodes_visited"] = static_cast<double>(work.nodes_visited);
  state.counters["placements"] = static_cast<double>(work.placements);
}

void quiet_loop(benchmark::State& state) {
  Large large(static_cast<int>(state.range(0)), 10, 30);
  large.settle();
  for (auto turn : state) benchmark::DoNotOptimize(large.planner.loop().moved());
  count(state, large.planner.loop().work);
}
BENCHMARK(quiet_loop)->Arg(100)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);

/// One percent of the pods goes, as many come, and one percent of the nodes changes. Taking the
/// changes in is part of the time, making them up is not.
void churn_loop(benchmark::State& state) {
  const auto nodes = static_cast<int>(state.range(0));
  Large large(nodes, 10, 30);
  large.settle();
  Large::Changes changes;
  for (auto turn : state) {
    state.PauseTiming();
    changes = large.next_changes(nodes * kPodsPerNode / 100, nodes / 100);
    state.ResumeTiming();
    large.apply(changes);
    benchmark::DoNotOptimize(large.planner.loop().moved());
  }
  large.apply(large.next_changes(nodes * kPodsPerNode / 100, nodes / 100));
  count(state, large.planner.loop().work);
}
BENCHMARK(churn_loop)->Arg(100)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);

/// From nothing to a plan: all nodes, all pods, and a fifth as many pending ones. The names and
/// specs are part of the time.
void cold_build(benchmark::State& state) {
  const auto nodes = static_cast<int>(state.range(0));
  Work work;
  for (auto turn : state) {
    auto large = std::make_unique<Large>(nodes, 0, 30);
    for (int i = 0; i < nodes * 6; ++i) large->add_pod("");
    benchmark::DoNotOptimize(large->planner.loop().moved());
    state.PauseTiming();
    work = large->planner.cluster().work;
    large.reset();
    state.ResumeTiming();
  }
  count(state, work);
}
BENCHMARK(cold_build)->Arg(100)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);

/// The first loop that may remove nodes: a tenth of them are candidates, 500 of 5,000.
void scale_down(benchmark::State& state) {
  const auto nodes = static_cast<int>(state.range(0));
  Large large(nodes, 10, nodes / 10);
  large.settle();
  std::size_t removable = 0;
  for (auto turn : state) {
    large.apply(large.next_changes(1, 0));
    removable = large.planner.loop().scale_down.size();
  }
  state.counters["removable"] = static_cast<double>(removable);
  state.counters["candidates"] = static_cast<double>(large.planner.cluster().work.candidates);
  count(state, large.planner.cluster().work);
}
BENCHMARK(scale_down)->Arg(100)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);

/// Resident memory, which the process has grown by.
std::int64_t resident_kib() {
  std::int64_t kib = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    long long all = 0;
    long long resident = 0;
    if (std::fscanf(file, "%lld %lld", &all, &resident) == 2) kib = resident * 4;
    std::fclose(file);
  }
  return kib;
}

void memory(benchmark::State& state) {
  for (auto turn : state) {
    const auto large = std::make_unique<Large>(static_cast<int>(state.range(0)), 10, 30);
    large->settle();
    state.counters["resident_MiB"] = static_cast<double>(resident_kib()) / 1024;
  }
}
BENCHMARK(memory)->Arg(5000)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bellows::slack
