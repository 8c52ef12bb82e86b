// The cost of one change in the list of a cluster: from the new version of a revision to the end of
// all subscribers, the autoscaler's service and the activator's router.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "activator/service/revision_router.hpp"
#include "autoscaler/service/autoscaler_service.hpp"
#include "bench/published_cluster.hpp"
#include "tests/support/manual_clock.hpp"

namespace bellows {
namespace {

using namespace std::chrono_literals;
using cluster::Replica;
using cluster::ReplicaPhase;
using cluster::ReplicaPtr;
using cluster::Revision;
using cluster::RevisionPtr;

/// `revisions` with `pods` ready pods each, followed by an autoscaler and an activator's router.
class Fleet {
 public:
  Fleet(std::int64_t revisions, std::int64_t pods) : revisions_(revisions), pods_(pods) {
    for (std::int64_t i = 0; i < revisions; ++i) list(i);
    autoscaler_.start();
    subscription_ =
        cluster_.subscribe([this](const cluster::Changes& changes) { router_.sync(changes); });
    router_.sync();
    io_.poll();
  }

  void list(std::int64_t number) {
    auto revision = std::make_shared<Revision>();
    revision->id = id(number);
    revision->route.host = "service-" + std::to_string(number) + ".team.example";
    revision->settings.min_scale = revision->settings.max_scale = revision->settings.initial_scale =
        static_cast<PodCount>(pods_);
    revision->requested = static_cast<PodCount>(pods_);
    for (std::int64_t pod = 0; pod < pods_; ++pod) revision->replicas.push_back(ready(number, pod));
    cluster_.publisher.put(std::move(revision));
  }

  /// A pod restarts, or is ready again.
  void change_pod(std::int64_t number, std::int64_t pod) {
    const RevisionPtr before = cluster_.revisions().find(id(number));
    auto next = std::make_shared<Revision>(*before);
    ReplicaPtr& place = next->replicas[static_cast<std::size_t>(pod)];
    Replica replica = *place;
    const bool was_ready = replica.phase == ReplicaPhase::kReady;
    replica.phase = was_ready ? ReplicaPhase::kStarting : ReplicaPhase::kReady;
    if (!was_ready) replica.start.ready = clock_.now();
    place = std::make_shared<const Replica>(std::move(replica));
    cluster_.publisher.put(std::move(next));
    io_.poll();
  }

  void remove(std::int64_t number) {
    cluster_.publisher.erase(id(number));
    io_.poll();
  }

  void settle() { io_.poll(); }
  std::size_t known() const { return autoscaler_.registry().revisions().size(); }

 private:
  static RevisionId id(std::int64_t number) {
    return RevisionId("team-" + std::to_string(number % 50) + "/checkout-service-" +
                      std::to_string(1'000'000 + number));
  }

  ReplicaPtr ready(std::int64_t revision, std::int64_t number) {
    Replica replica;
    // Digits that all names have: the order by number is the order by name.
    replica.name = PodName("checkout-service-" + std::to_string(revision) + "-7d9f8b6c54-" +
                           std::to_string(10'000 + number));
    replica.phase = ReplicaPhase::kReady;
    replica.address = {"10.0." + std::to_string(number / 250) + "." + std::to_string(number % 250),
                       8012, ""};
    replica.start = {clock_.now() - 1min, clock_.now() - 1min, clock_.now() - 58s};
    return std::make_shared<const Replica>(std::move(replica));
  }

  const std::int64_t revisions_;
  const std::int64_t pods_;
  test::ManualClock clock_;
  http::net::io_context io_;
  PublishedCluster cluster_{io_};
  metrics::prometheus::Registry metrics_{"bench"};
  autoscaler::AutoscalerService autoscaler_{io_, cluster_, clock_, metrics_, {}};
  http::Reactor reactor_{io_, clock_};
  IgnoredStats sink_;
  activator::ScaleFromZeroNotifier notifier_{
      reactor_, cluster_, sink_, {PodName("activator"), 1}, [] { return true; }};
  activator::WorkerLock lock_;
  activator::PageFiles pages_{io_, lock_};
  activator::QueueStats stats_{sink_, lock_, {PodName("activator"), 1}, clock_.now()};
  activator::ReplicaProber prober_{io_};
  SeededRandom random_{1};
  activator::RevisionDependencies dependencies_{reactor_, stats_, notifier_, prober_, random_,
                                                metrics_, {},     nullptr,   lock_,   pages_};
  activator::RevisionRouter router_{cluster_, dependencies_};
  std::unique_ptr<cluster::Subscription> subscription_;
};

void one_pod_changed(benchmark::State& state) {
  Fleet fleet(state.range(0), state.range(1));
  std::int64_t round = 0;
  for (auto _ : state) {
    // Another revision and pod each time, so that no cache holds what production would not find
    // there; 7919 is prime.
    const std::int64_t at = (round++ / 2) * 7919;
    fleet.change_pod(at % state.range(0), (at / 2) % state.range(1));
  }
}
BENCHMARK(one_pod_changed)
    ->ArgNames({"revisions", "pods"})
    ->Args({3000, 10})
    ->Args({10, 3000})
    ->Unit(benchmark::kMicrosecond);

void one_revision_removed(benchmark::State& state) {
  Fleet fleet(state.range(0), state.range(1));
  std::int64_t round = 0;
  for (auto _ : state) {
    const std::int64_t number = (round++ * 7919) % state.range(0);
    fleet.remove(number);
    state.PauseTiming();
    if (fleet.known() != static_cast<std::size_t>(state.range(0) - 1)) {
      state.SkipWithError("the removal has not reached the autoscaler");
      return;
    }
    fleet.list(number);
    fleet.settle();
    state.ResumeTiming();
  }
}
BENCHMARK(one_revision_removed)
    ->ArgNames({"revisions", "pods"})
    ->Args({3000, 10})
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace bellows
