#include "autoscaler/core/scaling_spec.hpp"

#include <gtest/gtest.h>

namespace bellows::autoscaler {
namespace {

TEST(ScalingSpecFromSettings, ResolvesPercentagesAndTarget) {
  config::RevisionSettings settings;
  settings.target = 10;
  settings.panic_threshold_percentage = 150;
  settings.panic_window_percentage = 25;
  settings.max_scale = 4;
  const ScalingSpec spec = scaling_spec(settings);
  EXPECT_DOUBLE_EQ(spec.target, 7);
  EXPECT_DOUBLE_EQ(spec.total, 10);
  EXPECT_DOUBLE_EQ(spec.panic_threshold, 1.5);
  EXPECT_EQ(spec.panic_window, std::chrono::seconds(15));
  EXPECT_EQ(spec.max_scale, 4);
}

}  // namespace
}  // namespace bellows::autoscaler
