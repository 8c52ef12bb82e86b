// The spike rule over time. Its worked examples: spike_examples_test.cpp.
#include "recommender/core/spike_policy.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

TEST(SpikePolicy, SaysNothingUntilARuleFires) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 500, 1024 * kMi);
  scene.cpu(0, 250);
  scene.memory(0, 500 * kMi);
  const Recommendation nothing = scene.recommend(1);
  EXPECT_FALSE(nothing.sizes.has_value());
  EXPECT_EQ(nothing.cpu.rule, Rule::kHold);
}

TEST(SpikePolicy, DoublesOncePerAppliedAnswerWhileTheCrashLoopLasts) {
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
  const InstanceId other = scene.policy().enter(PodName("b"), ContainerName("app"), replay_time(0));
  scene.cpu(1, 450);
  ASSERT_TRUE(scene.policy().record(other, Usage{replay_time(1), Resource::kCpu, 0.1}));
  EXPECT_EQ(scene.cpu_target(2), 900);
}

TEST(SpikePolicy, KeepsItsStateOverARestartInTheMiddle) {
  Scene scene(RecommenderPolicy::kSpike);
  scene.request(0, 1000, 0);
  for (double at = 0; at < 20 * kMinute; at += kMinute) scene.cpu(at, 100);
  scene.restart(20 * kMinute);
  for (double at = 20 * kMinute; at <= 30 * kMinute; at += kMinute) scene.cpu(at, 100);
  EXPECT_EQ(scene.cpu_target(30 * kMinute), 120);
}

}  // namespace
}  // namespace bellows::recommender
