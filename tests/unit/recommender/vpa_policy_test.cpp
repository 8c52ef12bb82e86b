// VPA's arithmetic by example: what a reader can check by hand. Row by row: golden_test.cpp.
#include "recommender/core/vpa_policy.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

/// `low` samples of 0.1 core, then `high` of 1 core, a second apart.
Recommendation after_samples(int low, int high) {
  Scene scene(RecommenderPolicy::kVpa);
  for (int i = 0; i < low + high; ++i) scene.cpu(60 + i, i < low ? 100 : 1000);
  return scene.recommend(60 + low + high);
}

TEST(VpaPolicy, RoundsAConstantLoadUpToItsBucketAndAddsTheMargin) {
  for (const int samples : {1, 5, 100}) {
    EXPECT_EQ(after_samples(samples, 0).sizes->target.cpu, Millicores{126});
  }
}

TEST(VpaPolicy, TurnsToTheHighLoadBetweenNineAndElevenPercent) {
  EXPECT_EQ(after_samples(91, 9).sizes->target.cpu, Millicores{126});
  EXPECT_EQ(after_samples(89, 11).sizes->target.cpu, Millicores{1168});
}

TEST(VpaPolicy, GivesAMemoryPeakTheEndOfItsBucketAndTheMargin) {
  Scene scene(RecommenderPolicy::kVpa);
  scene.memory(60, 524288000);
  EXPECT_EQ(scene.memory_target(61), 628694953);
}

TEST(VpaPolicy, PaysForOneMemorySpikeForThreeDays) {
  for (int ago = 0; ago < 8; ++ago) {
    Scene scene(RecommenderPolicy::kVpa);
    for (int day = 0; day < 8; ++day) {
      scene.memory(60 + day * kDay, static_cast<double>((day == 7 - ago ? 2048 : 400) * kMi));
    }
    EXPECT_EQ(scene.memory_target(61 + 7 * kDay), ago <= 2 ? 2539377048 : 511772986) << ago;
  }
}

TEST(VpaPolicy, BumpsTheRequestOfAContainerKilledForMemory) {
  Scene scene(RecommenderPolicy::kVpa);
  scene.event(60, OomKilled{Bytes{250 * kMi}});
  EXPECT_EQ(scene.memory_target(61), 442809964);
}

TEST(VpaPolicy, TrustsTwelveHoursOfHistoryThreefold) {
  Scene scene(RecommenderPolicy::kVpa);
  for (int minute = 0; minute <= 720; ++minute) scene.cpu(minute * kMinute, 100);
  EXPECT_EQ(scene.recommend(720 * kMinute).sizes->upper_bound.cpu, Millicores{378});
}

/// Minutes after a step from `before` to `after` until the target has the new level.
int minutes_to_follow(double hours, double before, double after) {
  Scene scene(RecommenderPolicy::kVpa);
  double at = 0;
  for (; at < hours * kHour; at += kMinute) scene.cpu(at, before);
  const bool is_up = after > before;
  const std::int64_t reached = is_up ? 2000 : 200;
  for (int minutes = 1;; ++minutes, at += kMinute) {
    scene.cpu(at, after);
    const std::int64_t target = scene.cpu_target(at);
    if (is_up ? target > reached : target < reached) return minutes;
  }
}

TEST(VpaPolicy, FollowsAStepUpWithinHours) {
  EXPECT_EQ(minutes_to_follow(1, 100, 2000), 7);
  EXPECT_EQ(minutes_to_follow(24, 100, 2000), 113);
}

TEST(VpaPolicy, IgnoresASpikeOfThreeHoursAndFollowsOneOfFour) {
  const auto target_after = [](double spike_hours) {
    Scene scene(RecommenderPolicy::kVpa);
    const double spike = 8 * kDay - spike_hours * kHour;
    for (double at = 0; at < 8 * kDay; at += kMinute) scene.cpu(at, at < spike ? 100 : 2000);
    return scene.cpu_target(8 * kDay);
  };
  EXPECT_EQ(target_after(3), 126);
  EXPECT_GT(target_after(4), 2000);
}

TEST(VpaPolicy, LosesNothingOverARestartNotEvenTheRunningPeak) {
  Scene scene(RecommenderPolicy::kVpa);
  Scene undisturbed(RecommenderPolicy::kVpa);
  for (int hour = 0; hour < 60; ++hour) {
    for (Scene* each : {&scene, &undisturbed}) {
      each->cpu(hour * kHour, 100 + hour * 7 % 50);
      each->memory(hour * kHour, 3e8 + hour * 1234567);
    }
    if (hour % 7 == 3) scene.restart(hour * kHour);
    EXPECT_EQ(scene.recommend(hour * kHour).sizes, undisturbed.recommend(hour * kHour).sizes);
  }
}

TEST(VpaPolicy, WeighsSamplesByRequestIfAsked) {
  WorkloadSettings settings;
  settings.settings.history.cpu_sample_weight = config::CpuSampleWeight::kRequest;
  Scene scene(RecommenderPolicy::kVpa, settings);
  scene.request(0, 100, 0);
  for (int i = 0; i < 91; ++i) scene.cpu(60 + i, 100);
  scene.request(151, 1000, 0);
  for (int i = 91; i < 100; ++i) scene.cpu(60 + i, 1000);
  EXPECT_EQ(scene.cpu_target(200), 1168) << "nine samples weigh as much as ninety";
}

}  // namespace
}  // namespace bellows::recommender
