// Stories of what the default policy takes for a need: work that waited is none, a start ends, a
// size that is needed again is, and memory that grows needs no room that memory that jumps needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

/// One sample of CPU and one recommendation a minute. The last target.
std::int64_t use_cpu(Scene& scene, double from, double to, double millicores) {
  std::int64_t target = 0;
  for (double at = from; at < to; at += kMinute) {
    scene.cpu(at, millicores);
    target = scene.cpu_target(at);
  }
  return target;
}

/// The same of memory.
std::int64_t use_memory(Scene& scene, double from, double to, double mebi) {
  std::int64_t target = 0;
  for (double at = from; at < to; at += kMinute) {
    scene.memory(at, mebi * kMi);
    target = scene.memory_target(at) / kMi;
  }
  return target;
}

TEST(HybridNeeds, WorkThatWaitedForTheCpuThatIsBackIsNoLoad) {
  struct Row {
    double later;  // the usage from the second minute on
    bool rises;
  };
  for (const Row& row : {Row{3000, false}, Row{5600, true}}) {
    Scene scene(RecommenderPolicy::kHybrid);
    use_cpu(scene, kHour, 3 * kHour, 200);
    use_cpu(scene, 3 * kHour, 4 * kHour, 3000);
    ASSERT_LT(use_cpu(scene, 4 * kHour, 8 * kHour, 200), 300);
    scene.cpu(8 * kHour, 440);  // its limit
    const std::int64_t back = scene.cpu_target(8 * kHour);
    ASSERT_GE(back, 3000);
    scene.cpu(8 * kHour + kMinute, 5600);  // with what waited in the first minute
    EXPECT_EQ(scene.cpu_target(8 * kHour + kMinute), back);
    const std::int64_t then =
        use_cpu(scene, 8 * kHour + 2 * kMinute, 8 * kHour + 5 * kMinute, row.later);
    EXPECT_EQ(then > back, row.rises) << row.later;
  }
}

TEST(HybridNeeds, CpuOfALoadThatGoesOnAfterTheStartStays) {
  Scene scene(RecommenderPolicy::kHybrid);
  scene.request(0, 500, 256 * kMi);
  EXPECT_GE(use_cpu(scene, kMinute, 10 * kMinute, 1000), 1000);
}

/// Days on which memory goes from 100 MiB to 12,800 for an hour, within `minutes`. Returns the
/// target at noon of each, in MiB; `kills` counts the minutes in which it was too low, from the
/// third day on.
std::vector<std::int64_t> peak_daily(Scene& scene, int days, double minutes, int& kills) {
  std::vector<std::int64_t> noons;
  std::int64_t target = 512;
  for (int minute = 0; minute < days * 24 * 60; ++minute) {
    const double since = minute % 1440 - 60;
    const double share = since < 0 || since > minutes + 60 ? 0 : std::min(1., since / minutes);
    const double used = 100 * std::exp2(7 * share);
    const bool is_killed = used > static_cast<double>(target);
    if (is_killed) scene.event(minute * kMinute, OomKilled{mebibytes(target)});
    kills += minute > 2 * 1440 && is_killed ? 1 : 0;
    target = use_memory(scene, minute * kMinute, (minute + 1) * kMinute, used);
    if (minute % 1440 == 720) noons.push_back(target);
  }
  return noons;
}

TEST(HybridNeeds, MemoryThatIsReachedByDoublingIsNotKeptAllDay) {
  Scene scene(RecommenderPolicy::kHybrid);
  int kills = 0;
  const auto noons = peak_daily(scene, 4, 35, kills);
  EXPECT_LT(noons[3], 400) << "three peaks of 12,800 are known";
  EXPECT_EQ(kills, 0) << "scale-ups were ahead of it";
}

TEST(HybridNeeds, MemoryThatJumpsIsKeptAllDay) {
  Scene scene(RecommenderPolicy::kHybrid);
  int kills = 0;
  const auto noons = peak_daily(scene, 4, 0.5, kills);
  EXPECT_GE(noons[3], 12800);
  EXPECT_EQ(kills, 0);
}

TEST(HybridNeeds, KeepsASizeThatKilledForAJobThatThePercentileCoversForAWhile) {
  Scene scene(RecommenderPolicy::kHybrid);
  const double period = 2 * kDay - 10 * kMinute;
  for (int run = 0; run < 12; ++run) {
    const double begin = kHour + run * period;
    if (run == 0) {
      scene.event(begin, OomKilled{Bytes{574 * kMi}});
      scene.event(begin + 20, OomKilled{Bytes{574 * kMi}});
      scene.event(begin + 60, OomKilled{Bytes{2296 * kMi}});
    }
    if (run > 1) {
      EXPECT_GE(scene.memory_target(begin), 3072 * kMi) << "run " << run;
    }
    use_memory(scene, begin, begin + kHour, 3072);
    use_memory(scene, begin + kHour, begin + period, 500);
  }
}

}  // namespace
}  // namespace bellows::recommender
