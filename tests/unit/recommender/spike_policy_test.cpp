// The spike rule over time. Its worked examples: spike_examples_test.cpp.
#include "recommender/core/spike_policy.hpp"

#include <gtest/gtest.h>
// gtest first: rapidcheck's header builds on it.
#include <rapidcheck/gtest.h>

#include <utility>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

TEST(SpikePolicy, RecommendsNothingUntilARuleFires) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 1024 * kMi);
  scene.cpu(0, 250);
  scene.memory(0, 500 * kMi);
  const Recommendation nothing = scene.recommend(1);
  EXPECT_FALSE(nothing.sizes.has_value());
  EXPECT_EQ(nothing.cpu.rule, Rule::kHold);
}

TEST(SpikePolicy, DoublesOncePerAppliedTargetDuringACrashLoop) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 100, 400 * kMi);
  scene.event(1, CrashLoop{true});
  EXPECT_EQ(scene.cpu_target(2), 200);
  EXPECT_EQ(scene.cpu_target(3), 200) << "the answer is not applied yet";
  scene.request(4, 200, 800 * kMi);
  EXPECT_EQ(scene.cpu_target(5), 400);
  scene.event(6, CrashLoop{false});
  scene.request(7, 400, 1600 * kMi);
  EXPECT_EQ(scene.cpu_target(8), 400) << "healed: nothing doubles any more";
}

// 400m of 500m would scale up to 800m.
TEST(SpikePolicy, KeepsADoublingUntilItIsAppliedOrTimesOut) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 0);
  scene.cpu(0, 400);
  for (int crash = 1; crash <= 3; ++crash) scene.event(crash, Crashed{});
  EXPECT_EQ(scene.cpu_target(4), 1000);
  EXPECT_EQ(scene.cpu_target(60), 1000);
  EXPECT_EQ(scene.recommend(61).since, replay_time(4));
  scene.cpu(120, 600);
  EXPECT_EQ(scene.cpu_target(121), 1200) << "more is no fall";
  EXPECT_EQ(scene.cpu_target(4 + 5 * kMinute), 1200) << "five minutes are over: by usage alone";
  scene.cpu(6 * kMinute, 400);
  EXPECT_EQ(scene.cpu_target(6 * kMinute), 800);
}

TEST(SpikePolicy, DoublesAtTheThirdCrash) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 256 * kMi);
  scene.cpu(0, 200);
  scene.memory(0, 100 * kMi);
  scene.event(1, Crashed{});
  scene.event(2, Crashed{});
  EXPECT_EQ(scene.cpu_target(2), 0);
  scene.event(3, Crashed{});
  EXPECT_EQ(scene.cpu_target(3), 1000);
  EXPECT_EQ(scene.memory_target(3), 512 * kMi);
}

TEST(SpikePolicy, TakesTheHighestOfTheReplicas) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 0);
  const InstanceId other =
      scene.policy().add_instance(PodName("b"), ContainerName("app"), replay_time(0));
  scene.cpu(1, 450);
  ASSERT_TRUE(scene.policy().record(other, Usage{replay_time(1), Resource::kCpu, 0.1}));
  EXPECT_EQ(scene.cpu_target(2), 900);
}

// 0.7 times 90 is 62.99999999999999 in doubles, 0.3 times 70 is 21.
TEST(SpikePolicy, HoldsIfTheUsageEqualsAThreshold) {
  for (const auto& [request, usage] : {std::pair{90, 63}, {500, 350}, {70, 21}, {110, 33}}) {
    Scene scene(RecommenderPolicy::kSpike);
    scene.request(0, request, 0);
    scene.cpu(0, usage);
    scene.cpu(1800, usage);
    EXPECT_EQ(scene.recommend(1800).cpu.rule, Rule::kHold) << usage << " of " << request;
  }
}

// Vertical.md A4: the sample that begins the next window is the new maximum, not the clock.
TEST(SpikePolicy, KeepsAMaximumUntilTheSampleAfterItsWindow) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 1000, 0);
  scene.cpu(0, 280);
  scene.cpu(600, 100);
  EXPECT_EQ(scene.cpu_target(1800), 336);
  EXPECT_EQ(scene.cpu_target(1801), 336);
  scene.cpu(1810, 90);
  EXPECT_EQ(scene.cpu_target(1811), 108);
}

TEST(SpikePolicy, UsesTheGreaterOfTwoSamplesOfOneTime) {
  for (const auto& [first, second] : {std::pair{100, 900}, {900, 100}}) {
    Scene scene(RecommenderPolicy::kSpike);
    scene.request(0, 100, 1024 * kMi);
    scene.cpu(60, first);
    scene.cpu(60, second);
    EXPECT_EQ(scene.cpu_target(60), 1800);
    scene.memory(60, static_cast<double>(first * kMi));
    scene.memory(60, static_cast<double>(second * kMi));
    EXPECT_EQ(scene.memory_target(61), 1800 * kMi);
    scene.memory(62, static_cast<double>(100 * kMi));
    EXPECT_EQ(scene.recommend(63).memory.rule, Rule::kHold) << "and then by what comes later";
  }
}

/// One usage of a container that has 500m, a minute after the start of its only replica.
struct Case {
  const char* scenario;
  double usage;
  double margin;
  double min;
  std::string reason;  ///< how it ends
};
class SpikeReason : public testing::TestWithParam<Case> {};

TEST_P(SpikeReason, NamesTheStagesOfTheTarget) {
  const Case& row = GetParam();
  WorkloadSettings settings;
  settings.settings.spike.margin_fraction = row.margin;
  settings.settings.min_cpu_millicores = row.min;
  Scene scene(RecommenderPolicy::kSpike, settings);
  if (row.usage > 350) scene.request(0, 500, 0);
  scene.cpu(60, row.usage);
  const std::string reason = to_string(scene.recommend(61).cpu, Resource::kCpu);
  EXPECT_TRUE(reason.ends_with(row.reason)) << reason;
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Stages, SpikeReason, testing::Values(
    Case{"TheFactorAlone", 450, 0, 25, ", times 2 -> 900m"},
    Case{"TheMargin", 450, 0.15, 25, ", times 2 -> 900m, margin 0.15 -> 1035m"},
    Case{"WholeUnits", 15.1, 0, 0, ": highest usage -> 15.1m, times 2 -> 30.2m, in whole units -> 30m"},
    Case{"TheMinimum", 10, 0, 25, ", times 2 -> 20m, at least 25m -> 25m"},
    Case{"MarginAndMinimum", 10, 0.15, 25, ", times 2 -> 20m, margin 0.15 -> 23m, at least 25m -> 25m"}),
    scenario_of<Case>);
// clang-format on

TEST(SpikePolicy, KeepsItsStateAcrossARestart) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 1000, 0);
  for (double at = 0; at < 20 * kMinute; at += kMinute) scene.cpu(at, 100);
  scene.restart(20 * kMinute);
  for (double at = 20 * kMinute; at <= 30 * kMinute; at += kMinute) scene.cpu(at, 100);
  EXPECT_EQ(scene.cpu_target(30 * kMinute), 120);
}

}  // namespace
}  // namespace bellows::recommender
