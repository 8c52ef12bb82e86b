#include "metrics/point_window.hpp"

#include <gtest/gtest.h>

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{1000h};

TEST(PointWindow, TheMeanIsOverPointsNotOverSeconds) {
  PointWindow window(6s);
  window.record(kStart, 1);
  window.record(kStart + 100ms, 2);
  window.record(kStart + 4s, 6);
  EXPECT_EQ(window.average(kStart + 4s), 3);
}

TEST(PointWindow, APointLeavesExactlyAWindowAfterItCame) {
  PointWindow window(6s);
  window.record(kStart + 500ms, 4);
  EXPECT_EQ(window.average(kStart + 6499ms), 4);
  EXPECT_TRUE(window.is_empty(kStart + 6500ms));
  EXPECT_EQ(window.average(kStart + 6500ms), 0);
}

TEST(PointWindow, AShorterWindowDropsAndALongerOneBringsNothingBack) {
  PointWindow window(60s);
  for (int s = 0; s < 60; ++s) window.record(kStart + s * 1s, s);
  EXPECT_EQ(window.average(kStart + 59s), 29.5);
  window.resize(2s);
  EXPECT_EQ(window.average(kStart + 59s), 58.5);
  window.resize(60s);
  EXPECT_EQ(window.average(kStart + 59s), 58.5);
}

}  // namespace
}  // namespace bellows::metrics
