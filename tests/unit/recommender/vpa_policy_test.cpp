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
