// Windows of known sources allocate nothing, however many stats they record.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "metrics/knative/collector.hpp"
#include "metrics/revision_windows.hpp"
#include "tests/support/stat_diary.hpp"

namespace {

std::size_t allocations = 0;
std::size_t allocated_bytes = 0;

}  // namespace

// Every allocation of this program passes here.
void* operator new(std::size_t size) {
  ++allocations;
  allocated_bytes += size;
  void* const memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::StatDiary;

TEST(Allocation, OneStatOfASourceCostsLittleHoweverLongTheWindowIs) {
  RevisionWindows windows(1h, 6min);
  const std::size_t before = allocated_bytes;
  constexpr int kSources = 1'000;
  for (int i = 0; i < kSources; ++i) {
    windows.record(StatDiary::stat("pod-" + std::to_string(i), 1, 2), StatDiary::at(1));
  }
  // 128 KiB for 4,096 seconds of 32 bytes would be taken with the first.
  EXPECT_LT((allocated_bytes - before) / kSources, 8'000U);
}

TEST(Allocation, StatsOfKnownSourcesTakeNoMemoryWhateverTheMeasure) {
  RevisionWindows windows(60s, 6s);
  Stat stats[2] = {StatDiary::stat("checkout-7d9f8b6c54-a-name-that-is-no-small-string", 0, 2),
                   StatDiary::stat("checkout-7d9f8b6c54-b-name-that-is-no-small-string", 0, 3)};
  const auto second = [&](std::int64_t s) {
    for (Stat& stat : stats) {
      ++stat.sequence;
      windows.record(stat, StatDiary::at(s));
    }
  };
  second(0);
  const std::size_t before = allocations;
  std::int64_t s = 0;
  for (const auto aggregation :
       {Aggregation::kLinear, Aggregation::kWeightedExponential, Aggregation::kPeak}) {
    windows.measure_by({Metric::kConcurrency, aggregation});
    for (int i = 0; i < 5'000; ++i) {
      second(++s);
      windows.average(Window::kStable, StatDiary::at(s));
    }
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(windows.count(RecordResult::kRecorded), 2U + 3 * 2 * 5'000);
}

TEST(Allocation, KnativesWindowsTakeNoneEither) {
  knative::Collector collector(60s, 6s, Aggregation::kWeightedExponential);
  const std::size_t before = allocations;
  for (int s = 0; s < 5'000; ++s) {
    const TimePoint now = StatDiary::at(s + s / 100 * 200);  // with gaps
    collector.record(now, s % 7, s % 11);
    collector.stable(Metric::kConcurrency, now + 3s);
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace bellows::metrics
