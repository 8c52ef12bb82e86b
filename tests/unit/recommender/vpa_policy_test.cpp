// What the policy adds to VPA's arithmetic. Numbers: vpa_examples_test.cpp and golden_test.cpp.
#include "recommender/core/vpa_policy.hpp"

#include <gtest/gtest.h>

#include "tests/unit/recommender/scene.hpp"

namespace bellows::recommender {
namespace {

using config::RecommenderPolicy;

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

// --- idle containers, 8 intervals of a day by default

/// Containers "app" and "side" with a replica each, sampled at 60 s; side's replica then leaves.
class IdleContainers : public testing::Test {
 protected:
  explicit IdleContainers(WorkloadSettings settings = {})
      : scene_(RecommenderPolicy::kVpa, std::move(settings)) {
    side_ = scene_.policy().add_instance(PodName("b"), ContainerName("side"), replay_time(0));
    scene_.cpu(60, 100);
    sample_side(60);
    scene_.policy().remove_instance(side_);
  }
  void sample_side(double at) {
    const Usage usage{replay_time(at), Resource::kCpu, 0.1};
    ASSERT_TRUE(scene_.policy().record(side_, usage).has_value());
  }
  std::vector<std::string> recommended(double at) {
    std::vector<std::string> names;
    for (const auto& each : scene_.policy().recommend(replay_time(at))) {
      names.push_back(each.container.text());
    }
    scene_.policy().forget_stale(replay_time(at));
    return names;
  }

  Scene scene_;
  InstanceId side_;
  const std::vector<std::string> both_{"app", "side"};
  const std::vector<std::string> app_{"app"};
};

TEST_F(IdleContainers, AreForgottenEightDaysAfterTheirLastSample) {
  scene_.cpu(8 * kDay, 100);
  EXPECT_EQ(recommended(8 * kDay + 59), both_);
  EXPECT_EQ(recommended(8 * kDay + 60), both_) << "it looks after it has answered";
  EXPECT_EQ(recommended(8 * kDay + 120), app_);
}

TEST_F(IdleContainers, NoLongerShareTheMinimumOfThePod) {
  scene_.memory(60, 1e7);
  EXPECT_EQ(scene_.memory_target(61), 125 * kMi) << "half of 250 MiB";
  scene_.cpu(8 * kDay, 100);
  recommended(8 * kDay + 60);
  EXPECT_EQ(scene_.memory_target(8 * kDay + 120), 250 * kMi);
}

TEST_F(IdleContainers, AreNotForgottenByWhoOnlyAsks) {
  for (int day = 9; day < 100; ++day) {
    EXPECT_EQ(scene_.policy().recommend(replay_time(day * kDay)).size(), 2U);
  }
}

TEST_F(IdleContainers, BeginAnewWithTheirNextReplica) {
  recommended(8 * kDay + 60);
  EXPECT_TRUE(recommended(9 * kDay).empty()) << "app had no sample either";
  side_ = scene_.policy().add_instance(PodName("c"), ContainerName("side"), replay_time(9 * kDay));
  sample_side(9 * kDay + 60);
  EXPECT_EQ(recommended(9 * kDay + 61), (std::vector<std::string>{"side"}));
  const auto side = scene_.policy().recommend(replay_time(9 * kDay + 62)).at(0);
  EXPECT_GT(side.sizes->upper_bound.cpu->value, 1000000) << "one sample is no history";
}

TEST_F(IdleContainers, StayForgottenOverARestart) {
  scene_.cpu(8 * kDay, 100);
  recommended(8 * kDay + 60);
  scene_.restart(8 * kDay + 90);
  EXPECT_EQ(recommended(8 * kDay + 120), app_);
}

TEST_F(IdleContainers, ThatACheckpointKnowsAreNotForgotten) {
  const auto checkpoint = scene_.policy().checkpoint(ContainerName("side"), replay_time(61));
  ASSERT_TRUE(scene_.policy().load(ContainerName("side"), *checkpoint).has_value());
  scene_.cpu(8 * kDay, 100);
  recommended(8 * kDay + 60);
  EXPECT_EQ(recommended(8 * kDay + 120), both_);
}

WorkloadSettings two_intervals_of_an_hour() {
  WorkloadSettings settings;
  settings.settings.history.memory_aggregation_interval = std::chrono::hours(1);
  settings.settings.history.memory_aggregation_interval_count = 2;
  return settings;
}
class IdleContainersOfTwoHours : public IdleContainers {
 protected:
  IdleContainersOfTwoHours() : IdleContainers(two_intervals_of_an_hour()) {}
};

TEST_F(IdleContainersOfTwoHours, AreForgottenThen) {
  scene_.cpu(2 * kHour, 100);
  EXPECT_EQ(recommended(2 * kHour + 59), both_);
  recommended(2 * kHour + 60);
  EXPECT_EQ(recommended(2 * kHour + 61), app_);
}

TEST(ContainersWithoutCpuSamples, AreForgottenWithTheirLastReplicaOrEightDaysAfterTheyCame) {
  Scene scene(RecommenderPolicy::kVpa);
  const InstanceId other =
      scene.policy().add_instance(PodName("b"), ContainerName("b"), replay_time(0));
  scene.memory(60, 3e8);
  ASSERT_TRUE(scene.policy().record(other, Usage{replay_time(60), Resource::kMemory, 3e8}));
  scene.policy().remove_instance(other);
  const auto recommended = [&](double at) {
    const std::size_t containers = scene.policy().recommend(replay_time(at)).size();
    scene.policy().forget_stale(replay_time(at));
    return containers;
  };
  EXPECT_EQ(recommended(61), 2U);
  EXPECT_EQ(recommended(62), 1U) << "it has no replica";
  scene.memory(8 * kDay, 3e8);
  EXPECT_EQ(recommended(8 * kDay), 1U);
  EXPECT_EQ(recommended(8 * kDay + 60), 0U);
}

}  // namespace
}  // namespace bellows::recommender
