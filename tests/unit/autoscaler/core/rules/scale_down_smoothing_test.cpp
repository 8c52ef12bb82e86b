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

TEST(ScaleDownSmoothingTest, KeepsThirtySevenPercentOfTheExcessOfManyAfterItsTime) {
  const ScaleDownSmoothing before{.level = 2000, .at = at(0)};
  EXPECT_NEAR(smoothed_scale_down(before, gliding(seconds(5)), 1000, at(5)).level, 1368, 4);
}

TEST(ScaleDownSmoothingTest, FewGoMoreSlowly) {
  const ScaleDownSmoothing ten{.level = 10, .at = at(0)};  // twice the time
  EXPECT_NEAR(smoothed_scale_down(ten, gliding(seconds(5)), 5, at(2)).level, 5 + 5 * 0.8187, 0.01);
  const ScaleDownSmoothing two{.level = 2, .at = at(0)};  // six times
  EXPECT_NEAR(smoothed_scale_down(two, gliding(seconds(5)), 1, at(2)).level, 1 + 0.9355, 0.01);
}

TEST(ScaleDownSmoothingTest, ComesToNearlyTheSameWhateverTheStepsInBetween) {
  ScaleDownSmoothing glide{.level = 20, .at = at(0)};
  const double at_once = smoothed_scale_down(glide, gliding(seconds(5)), 10, at(5)).level;
  for (int s = 1; s <= 5; ++s) glide = smoothed_scale_down(glide, gliding(seconds(5)), 10, at(s));
  EXPECT_NEAR(glide.level, at_once, 0.4);
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
  for (int s = 4; s <= 36; s += 2) decision = story.decide(spec, load(50, 50, 30), at(s));
  EXPECT_EQ(decision.replicas, 30);
  decision = story.decide(spec, load(50, 50, 30), at(38));
  EXPECT_EQ(decision.mode, Mode::kStable);
  EXPECT_EQ(decision.rule, Rule::kScaleDownSmoothing);
  EXPECT_EQ(decision.replicas, 24);  // 5 + 25 * exp(-2 / 6.67) = 23.5
  for (int s = 40; s <= 120; s += 2) decision = story.decide(spec, load(50, 50, 10), at(s));
  EXPECT_EQ(decision.replicas, 5);  // a tenth of a replica holds none
}

}  // namespace
}  // namespace bellows::autoscaler::test
