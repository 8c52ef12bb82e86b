// VPA's arithmetic in numbers that were worked out apart from this code: scenario, input, expected.
// Numbers in parentheses are those of the list they stand in. Row by row of VPA's own answers:
// golden_test.cpp.
#include <gtest/gtest.h>

#include <cmath>

#include "recommender/core/aggregate.hpp"
#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

// --- CPU: percentile and margin

/// `low` samples of 0.1 core, then `high` of 1 core.
struct CpuRow {
  const char* scenario;
  int low;
  int high;
  double percentile;
  std::int64_t target;
};
class CpuTarget : public testing::TestWithParam<CpuRow> {};

TEST_P(CpuTarget, IsTheEndOfTheBucketAndTheMargin) {
  const CpuRow& row = GetParam();
  WorkloadSettings settings;
  settings.settings.history.target_cpu_percentile = row.percentile;
  Scene scene(RecommenderPolicy::kVpa, settings);
  for (int i = 0; i < row.low + row.high; ++i) scene.cpu(60 + i, i < row.low ? 100 : 1000);
  EXPECT_EQ(scene.cpu_target(1000), row.target);
}

INSTANTIATE_TEST_SUITE_P(Examples, CpuTarget,
                         testing::Values(CpuRow{"ConstantOnce_1", 1, 0, 0.9, 126},
                                         CpuRow{"ConstantFiveTimes_1", 5, 0, 0.9, 126},
                                         CpuRow{"ConstantOften_1", 100, 0, 0.9, 126},
                                         CpuRow{"NineHighOfHundred_2_p50", 91, 9, 0.5, 126},
                                         CpuRow{"NineHighOfHundred_2_p90", 91, 9, 0.9, 126},
                                         CpuRow{"NineHighOfHundred_2_p95", 91, 9, 0.95, 1168},
                                         CpuRow{"ElevenHighOfHundred_3", 89, 11, 0.9, 1168}),
                         scenario_of<CpuRow>);

TEST(Percentile, OfTenHighSamplesInAHundredIsLowBecauseSumsAreRoundedInOrder) {
  const HistogramOptions options{cpu_buckets(), std::chrono::hours(24)};
  Histogram cpu(options);
  for (int i = 0; i < 100; ++i) cpu.add(i < 90 ? 0.1 : 1, 0.1, kReplayEpoch);
  EXPECT_EQ(cpu.percentile(0.9), cpu_buckets().end(cpu_buckets().find(0.1)));
  EXPECT_EQ(cpu.percentile(0.91), cpu_buckets().end(cpu_buckets().find(1)));
}

// --- memory: one peak, one kill

TEST(MemoryTarget, OfOnePeakOf500MebibytesIsTheEndOfItsBucketAndTheMargin) {  // 4
  Scene scene(RecommenderPolicy::kVpa);
  scene.memory(60, 524288000);
  EXPECT_EQ(scene.memory_target(61), 628694953);
}

TEST(MemoryTarget, AfterAKillAt250MebibytesIsThatOf350Mebibytes) {  // 6
  Scene scene(RecommenderPolicy::kVpa);
  scene.event(60, OomKilled{Bytes{250 * kMi}});
  EXPECT_EQ(scene.memory_target(61), 442809964);
}

struct BumpRow {
  const char* scenario;
  std::int64_t request;  ///< MiB
  double needed;         ///< MiB
};
class BumpAfterAKill : public testing::TestWithParam<BumpRow> {};

TEST_P(BumpAfterAKill, IsTheGreaterOfAFifthAndHundredMebibytes) {
  const BumpRow& row = GetParam();
  const HistogramOptions options{memory_buckets(), std::chrono::hours(24)};
  Histogram memory(options);
  const auto needed = MemoryPeaks().add_oom(memory, row.request * kMi, replay_time(60), {});
  EXPECT_EQ(needed, static_cast<std::int64_t>(row.needed * static_cast<double>(kMi)));
}

INSTANTIATE_TEST_SUITE_P(Examples, BumpAfterAKill,
                         testing::Values(BumpRow{"Of64", 64, 164}, BumpRow{"Of100", 100, 200},
                                         BumpRow{"Of400", 400, 500},
                                         BumpRow{"Of500BothRulesEqual", 500, 600},
                                         BumpRow{"Of1000", 1000, 1200},
                                         BumpRow{"Of4096", 4096, 4915.2}),
                         scenario_of<BumpRow>);

// --- one memory spike (5): eight daily peaks of 400 MiB, one of them 2 GiB

constexpr std::int64_t kCalm = 511772986;
constexpr std::int64_t kSpiked = 2539377048;

/// Before confidence, which is 7 (days) here: the lower bound is (1 + 0.001/7)^-2, the upper one
/// (1 + 1/7) of it.
struct SpikeRow {
  const char* scenario;
  int days_ago;
  std::int64_t lower;
  std::int64_t target;
  std::int64_t upper;
};
class OneMemorySpike : public testing::TestWithParam<SpikeRow> {};

TEST_P(OneMemorySpike, IsPaidForByEachBoundForItsTime) {
  const SpikeRow& row = GetParam();
  Scene scene(RecommenderPolicy::kVpa);
  for (int minute = 0; minute <= 7 * 24 * 60; ++minute) scene.cpu(minute * kMinute, 100);
  for (int day = 0; day < 8; ++day) {
    const bool is_spike = day == 7 - row.days_ago;
    scene.memory(60 + day * kDay, static_cast<double>((is_spike ? 2048 : 400) * kMi));
  }
  const Sizes sizes = *scene.recommend(61 + 7 * kDay).sizes;
  const auto factored = [](std::int64_t amount, double factor) {
    return static_cast<std::int64_t>(static_cast<double>(amount) * factor);
  };
  EXPECT_EQ(sizes.lower_bound.memory->value, factored(row.lower, std::pow(1 + 0.001 / 7, -2)));
  EXPECT_EQ(sizes.target.memory->value, row.target);
  EXPECT_EQ(sizes.upper_bound.memory->value, factored(row.upper, 1 + 1. / 7));
}

INSTANTIATE_TEST_SUITE_P(Examples, OneMemorySpike,
                         testing::Values(SpikeRow{"Today", 0, kSpiked, kSpiked, kSpiked},
                                         SpikeRow{"Yesterday", 1, kCalm, kSpiked, kSpiked},
                                         SpikeRow{"TwoDaysAgo", 2, kCalm, kSpiked, kSpiked},
                                         SpikeRow{"ThreeDaysAgo", 3, kCalm, kCalm, kSpiked},
                                         SpikeRow{"FourDaysAgo", 4, kCalm, kCalm, kCalm},
                                         SpikeRow{"FiveDaysAgo", 5, kCalm, kCalm, kCalm},
                                         SpikeRow{"SixDaysAgo", 6, kCalm, kCalm, kCalm},
                                         SpikeRow{"SevenDaysAgo", 7, kCalm, kCalm, kCalm}),
                         scenario_of<SpikeRow>);

// --- OOM ladder (7): from 250 MiB, each answer applied

struct LadderRow {
  const char* scenario;
  RecommenderPolicy policy;
  std::int64_t needs;  ///< MiB
  int kills;
};
class OomLadder : public testing::TestWithParam<LadderRow> {};

TEST_P(OomLadder, TakesSoManyKills) {
  const LadderRow& row = GetParam();
  Scene scene(row.policy);
  std::int64_t has = 250 * kMi;
  scene.request(0, 100, has);
  int kills = 0;
  for (double at = kHour; has < row.needs * kMi; at += 60) {
    scene.event(at, OomKilled{Bytes{has}});
    ++kills;
    has = scene.memory_target(at);
    scene.request(at, 100, has);
  }
  EXPECT_EQ(kills, row.kills);
}

INSTANTIATE_TEST_SUITE_P(
    Examples, OomLadder,
    testing::Values(LadderRow{"VpaTo600", RecommenderPolicy::kVpa, 600, 2},
                    LadderRow{"VpaTo1500", RecommenderPolicy::kVpa, 1500, 5},
                    LadderRow{"VpaTo4000", RecommenderPolicy::kVpa, 4000, 8},
                    LadderRow{"VpaTo20000", RecommenderPolicy::kVpa, 20000, 12},
                    LadderRow{"SpikeDoublesTo600", RecommenderPolicy::kSpike, 600, 2},
                    LadderRow{"SpikeDoublesTo1500", RecommenderPolicy::kSpike, 1500, 3},
                    LadderRow{"SpikeDoublesTo4000", RecommenderPolicy::kSpike, 4000, 4},
                    LadderRow{"SpikeDoublesTo20000", RecommenderPolicy::kSpike, 20000, 7},
                    LadderRow{"HybridTo600", RecommenderPolicy::kHybrid, 600, 1},
                    LadderRow{"HybridTo1500", RecommenderPolicy::kHybrid, 1500, 2},
                    LadderRow{"HybridTo4000", RecommenderPolicy::kHybrid, 4000, 2},
                    LadderRow{"HybridTo20000", RecommenderPolicy::kHybrid, 20000, 4}),
    scenario_of<LadderRow>);

// --- a step of CPU (8): 0.1 to 2 cores and back, one sample a minute

/// Minutes after a step from `before` to `after` until the target has the new level.
int minutes_to_follow(double hours, double before, double after) {
  Scene scene(RecommenderPolicy::kVpa);
  double at = 0;
  for (; at < hours * kHour; at += kMinute) scene.cpu(at, before);
  const bool is_up = after > before;
  for (int minutes = 1;; ++minutes, at += kMinute) {
    scene.cpu(at, after);
    const std::int64_t target = scene.cpu_target(at);
    if (is_up ? target > 2000 : target < 200) return minutes;
  }
}

struct StepRow {
  const char* scenario;
  double hours;  ///< of history before it
  int minutes_up;
  double hours_down;  ///< to a tenth
};
class CpuStep : public testing::TestWithParam<StepRow> {};

TEST_P(CpuStep, IsFollowedAfterSoLong) {
  const StepRow& row = GetParam();
  EXPECT_EQ(minutes_to_follow(row.hours, 100, 2000), row.minutes_up);
  EXPECT_NEAR(minutes_to_follow(row.hours, 2000, 100) / 60., row.hours_down, 0.1);
}

INSTANTIATE_TEST_SUITE_P(Examples, CpuStep,
                         testing::Values(StepRow{"AfterAnHour", 1, 7, 7.9},
                                         StepRow{"AfterADay", 24, 113, 59},
                                         StepRow{"AfterEightDays", 8 * 24, 219, 79.6}),
                         scenario_of<StepRow>);

// --- a spike of CPU (9): eight days of 0.1 core, the last hours of them 2 cores, then 0.1 again

struct RecoveryRow {
  const char* scenario;
  double spike_hours;
  double hours_after;
  std::int64_t target;
  std::int64_t upper;  ///< before confidence, which is 1 per day of history
};
class CpuSpike : public testing::TestWithParam<RecoveryRow> {};

TEST_P(CpuSpike, IsOutOfTheTargetInHoursAndOfTheUpperBoundInADay) {
  const RecoveryRow& row = GetParam();
  Scene scene(RecommenderPolicy::kVpa);
  const double spike = 8 * kDay - row.spike_hours * kHour;
  const double end = 8 * kDay + row.hours_after * kHour;
  for (double at = 0; at <= end; at += kMinute) {
    scene.cpu(at, at >= spike && at < 8 * kDay ? 2000 : 100);
  }
  const Sizes sizes = *scene.recommend(end).sizes;
  EXPECT_EQ(sizes.target.cpu->value, row.target);
  EXPECT_EQ(sizes.upper_bound.cpu->value,
            static_cast<std::int64_t>(static_cast<double>(row.upper) * (1 + kDay / end)));
}

INSTANTIATE_TEST_SUITE_P(Examples, CpuSpike,
                         testing::Values(RecoveryRow{"OfAnHour", 1, 0, 126, 126},
                                         RecoveryRow{"OfThreeHours", 3, 0, 126, 2406},
                                         RecoveryRow{"OfFourHours", 4, 0, 2406, 2406},
                                         RecoveryRow{"SixHoursAfter", 4, 6, 126, 2406},
                                         RecoveryRow{"TwentyHoursAfter", 4, 20, 126, 2406},
                                         RecoveryRow{"TwoDaysAfter", 4, 48, 126, 126}),
                         scenario_of<RecoveryRow>);

// --- confidence (10 and the factors of each history)

struct ConfidenceRow {
  const char* scenario;
  int minutes;         ///< of history, at 0.1 core: 126m before confidence
  std::int64_t upper;  ///< 126 x (1 + 1/c)
  std::int64_t lower;  ///< 126 x (1 + 0.001/c)^-2, at least 25
};
class Confidence : public testing::TestWithParam<ConfidenceRow> {};

TEST_P(Confidence, WidensTheBoundsOfAShortHistory) {
  const ConfidenceRow& row = GetParam();
  Scene scene(RecommenderPolicy::kVpa);
  for (int minute = 0; minute <= row.minutes; ++minute) scene.cpu(minute * kMinute, 100);
  const Sizes sizes = *scene.recommend(row.minutes * kMinute).sizes;
  EXPECT_EQ(sizes.upper_bound.cpu->value, row.upper);
  EXPECT_EQ(sizes.lower_bound.cpu->value, row.lower);
}

INSTANTIATE_TEST_SUITE_P(Examples, Confidence,
                         testing::Values(ConfidenceRow{"OneMinute", 1, 126 * 1441, 25},
                                         ConfidenceRow{"FiveMinutes", 5, 126 * 289, 75},
                                         ConfidenceRow{"HalfAnHour", 30, 126 * 49, 114},
                                         ConfidenceRow{"OneHour", 60, 126 * 25, 120},
                                         ConfidenceRow{"TwelveHours_10", 720, 378, 125},
                                         ConfidenceRow{"OneDay", 1440, 252, 125},
                                         ConfidenceRow{"SevenDays", 7 * 1440, 144, 125},
                                         ConfidenceRow{"EightDays", 8 * 1440, 141, 125}),
                         scenario_of<ConfidenceRow>);

}  // namespace
}  // namespace bellows::recommender
