#include "config/shared_settings.hpp"

#include <gtest/gtest.h>

namespace bellows::config {
namespace {

RevisionSettings with_max_scale(PodCount max_scale) {
  RevisionSettings settings;
  settings.max_scale = max_scale;
  return settings;
}

TEST(SharedSettings, AreOneCopyOfEqualOnes) {
  const SettingsPtr seven = shared_settings(with_max_scale(7));
  EXPECT_EQ(*seven, with_max_scale(7));
  EXPECT_NE(shared_settings(with_max_scale(8)), seven);
  EXPECT_EQ(shared_settings(with_max_scale(7)), seven);
}

TEST(SharedSettings, AreRememberedWhileFewOthersAreAskedFor) {
  const SettingsPtr seven = shared_settings(with_max_scale(7));
  const auto others = static_cast<PodCount>(kRememberedSettings);
  for (PodCount other = 1; other < others; ++other) shared_settings(with_max_scale(100 + other));
  EXPECT_EQ(shared_settings(with_max_scale(7)), seven);
  for (PodCount other = 1; other <= others; ++other) shared_settings(with_max_scale(200 + other));
  const SettingsPtr anew = shared_settings(with_max_scale(7));
  EXPECT_NE(anew, seven);
  EXPECT_EQ(*anew, *seven);
}

}  // namespace
}  // namespace bellows::config
