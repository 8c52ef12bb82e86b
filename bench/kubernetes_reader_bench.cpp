// Reading lists and watches of real-size pods, and what a stored pod takes.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kubernetes/core/event_reader.hpp"
#include "kubernetes/core/item_reader.hpp"
#include "kubernetes/core/object_store.hpp"
#include "kubernetes/core/pod.hpp"
#include "tests/support/sample_objects.hpp"

namespace bellows::kubernetes {
namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;

/// `count` pods, ten to a ReplicaSet, with names and addresses of their own.
std::string pod_list(int count) {
  std::string list = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"99"},)";
  list += R"("items":[)";
  for (int i = 0; i < count; ++i) {
    test::SamplePod pod;
    pod.owner = "checkout-service-" + std::to_string(1000000000 + i / 10);
    pod.name = pod.owner + "-" + std::to_string(10000 + i);
    pod.uid = "5f7c9a52-3f0e-4c7b-9d1e-1c2b3a" + std::to_string(100000 + i);
    pod.resource_version = static_cast<std::uint64_t>(1000000 + i);
    if (i > 0) list += ',';
    list += pod_json(pod);
  }
  return list + "]}";
}

void feed_in_chunks(std::string_view text, auto& reader) {
  for (; !text.empty(); text.remove_prefix(std::min(kChunk, text.size()))) {
    if (!reader.feed(text.substr(0, kChunk))) std::abort();
  }
}

void prune_a_list(benchmark::State& state) {
  const std::string list = pod_list(500);
  for (auto _ : state) {
    ItemReader reader(
        Pod::fields(), [](const boost::json::object&) { return Result<void>(); },
        [](const Error&) { std::abort(); });
    feed_in_chunks(list, reader);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(list.size()));
}
BENCHMARK(prune_a_list)->Unit(benchmark::kMillisecond);

void store_a_list(benchmark::State& state) {
  const std::string list = pod_list(500);
  for (auto _ : state) {
    ObjectStore<Pod> store;
    ItemReader reader(
        Pod::fields(), [&store](const boost::json::object& pod) { return store.put(pod); },
        [](const Error&) { std::abort(); });
    feed_in_chunks(list, reader);
    if (store.size() != 500) std::abort();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(list.size()));
}
BENCHMARK(store_a_list)->Unit(benchmark::kMillisecond);

void store_events(benchmark::State& state) {
  ObjectStore<Pod> store;
  EventReader reader(
      Pod::fields(), [&store](const WatchEvent& event) { return store.put(event.object); },
      [](const Error&) { std::abort(); });
  test::SamplePod pod;
  std::string events;
  for (int i = 0; i < 100; ++i) {
    pod.ready = i % 2 == 0;
    pod.resource_version += 1;
    events += R"({"type":"MODIFIED","object":)" + pod_json(pod) + "}\n";
  }
  for (auto _ : state) {
    if (!reader.feed(events)) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * 100);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(events.size()));
}
BENCHMARK(store_events)->Unit(benchmark::kMillisecond);

/// Bytes that the heap grows by per stored pod.
void memory_of_a_pod(benchmark::State& state) {
  const std::string list = pod_list(5000);
  for (auto _ : state) {
    ObjectStore<Pod> store;
    const std::size_t before = mallinfo2().uordblks;
    {
      ItemReader reader(
          Pod::fields(), [&store](const boost::json::object& pod) { return store.put(pod); },
          [](const Error&) { std::abort(); });
      feed_in_chunks(list, reader);
    }
    const std::size_t after = mallinfo2().uordblks;
    state.counters["bytes_per_pod"] =
        static_cast<double>(after - before) / static_cast<double>(store.size());
  }
}
BENCHMARK(memory_of_a_pod)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bellows::kubernetes
