// Encoding and decoding stats.
#include <benchmark/benchmark.h>

#include <string>

#include "metrics/stat_codec.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;

/// Names as long as those of Kubernetes, too long for the small-string optimization.
Stat sample_stat() {
  return {RevisionId("checkout-service-00042"),
          PodName("checkout-service-00042-deployment-7d9f8b6c54-x2x9z"),
          StatSource::kReplica,
          0x0123456789abcdef,
          123'456,
          12ms,
          2.5,
          4,
          900};
}

void encode_stat(benchmark::State& state) {
  const Stat stat = sample_stat();
  for (auto _ : state) benchmark::DoNotOptimize(encode(stat));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(encode_stat);

void decode_stat(benchmark::State& state) {
  const std::string bytes = encode(sample_stat());
  for (auto _ : state) benchmark::DoNotOptimize(decode(bytes));
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(decode_stat);

void decode_malformed(benchmark::State& state) {
  std::string bytes = encode(sample_stat());
  bytes.pop_back();
  for (auto _ : state) benchmark::DoNotOptimize(decode(bytes));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(decode_malformed);

}  // namespace
}  // namespace bellows::metrics
