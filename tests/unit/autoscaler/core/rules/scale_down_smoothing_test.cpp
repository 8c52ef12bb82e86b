#include "autoscaler/core/rules/scale_down_smoothing.hpp"

#include <gtest/gtest.h>

#include "tests/unit/autoscaler/core/scene.hpp"

namespace bellows::autoscaler::test {
namespace {

ScalingSpec gliding(Duration time) {
  ScalingSpec spec;
  spec.rules.scale_down_smoothing = config::Smoothing::kExponential;
  spec.rules.scale_down_smoothing_time = time;
  return spec;
}

TEST(ScaleDownSmoothingTest, FollowsARisingAmountAtOnce) {
  const ScaleDownSmoothing before{.level = 3, .at = at(0)};
  EXPECT_EQ(smoothed_scale_down(before, gliding(seconds(5)), 8, at(2)).level, 8);
}

TEST(ScaleDownSmoothingTest, KeepsThirtySevenPercentOfTheExcessAfterItsTime) {
  const ScaleDownSmoothing before{.level = 20, .at = at(0)};
  EXPECT_NEAR(smoothed_scale_down(before, gliding(seconds(5)), 10, at(5)).level, 13.68, 0.2);
}

TEST(ScaleDownSmoothingTest, ComesToNearlyTheSameWhateverTheStepsInBetween) {
  ScaleDownSmoothing glide{.level = 20, .at = at(0)};
  for (int s = 1; s <= 5; ++s) glide = smoothed_scale_down(glide, gliding(seconds(5)), 10, at(s));
  EXPECT_NEAR(glide.level, 13.68, 0.4);
}

TEST(ScaleDownSmoothingTest, MoreLoadNeverFallsFaster) {
  for (double level = 1; level < 30; level += 0.7) {
    for (double amount = 0.1; amount < level; amount += 0.3) {
      const ScaleDownSmoothing before{.level = level, .at = at(0)};
      const auto after = [&](double load) {
        return smoothed_scale_down(before, gliding(seconds(2)), load, at(2)).level;
      };
      EXPECT_LE(after(amount), after(amount + 0.2) + 0.1) << level << " to " << amount;
    }
  }
}

TEST(ScaleDownSmoothingTest, NothingIsLeftOfItWithoutLoad) {
  const ScaleDownSmoothing before{.level = 20, .at = at(0)};
  EXPECT_EQ(smoothed_scale_down(before, gliding(seconds(5)), 0, at(2)).level, 0);
}

TEST(ScaleDownSmoothingTest, PanicEndsWithoutACliff) {
  ScalingSpec spec = spec_with_target(10);
  spec.rules.scale_down_smoothing = config::Smoothing::kExponential;
  spec.rules.scale_down_smoothing_time = seconds(5);
  Story story(active_since(at(-100)));
  story.decide(spec, load(50, 300, 5), at(0));  // panic, 30 wanted
  Decision decision = story.decide(spec, load(50, 50, 30), at(2));
  EXPECT_EQ(decision.replicas, 30);
  for (int s = 4; s <= 60; s += 2) decision = story.decide(spec, load(50, 50, 30), at(s));
  EXPECT_EQ(decision.replicas, 30);
  decision = story.decide(spec, load(50, 50, 30), at(62));
  EXPECT_EQ(decision.mode, Mode::kStable);
  EXPECT_EQ(decision.rule, Rule::kScaleDownSmoothing);
  EXPECT_EQ(decision.replicas, 22);  // 5 + 25 * exp(-2 / 5) = 21.8
  for (int s = 64; s <= 120; s += 2) decision = story.decide(spec, load(50, 50, 10), at(s));
  EXPECT_EQ(decision.replicas, 5);  // a tenth of a replica holds none
}

}  // namespace
}  // namespace bellows::autoscaler::test
