#include "metrics/max_window.hpp"

#include <gtest/gtest.h>
// rapidcheck's header needs GoogleTest's before it.
#include <rapidcheck/gtest.h>

#include <vector>

namespace bellows::metrics {
namespace {

std::vector<int> greatest_of(std::int64_t size, const std::vector<int>& values) {
  MaxWindow<int> window(size);
  std::vector<int> greatest;
  std::int64_t index = 0;
  for (const int value : values) {
    window.record(++index, value);
    greatest.push_back(window.greatest());
  }
  return greatest;
}

// The numbers are those of the table of cases in knative.md 7.3.

TEST(MaxWindow, Case60AnOutlierStaysForFiveValues) {
  EXPECT_EQ(greatest_of(5, {5, 6, 5, 5, 5, 5, 5}), (std::vector<int>{5, 6, 6, 6, 6, 6, 5}));
}

TEST(MaxWindow, Case61UpAndDown) {
  EXPECT_EQ(greatest_of(5, {5, 8, 5, 7, 5, 5, 1, 4, 4, 4, 4, 9, 3, 4, 2, 1, 0}),
            (std::vector<int>{5, 8, 8, 8, 8, 8, 7, 7, 5, 5, 4, 9, 9, 9, 9, 9, 4}));
}

TEST(MaxWindow, Case63FallingValuesAtOneIndex) {
  MaxWindow<int> window(5);
  for (int value = 7; value >= 1; --value) {
    window.record(1, value);
    EXPECT_EQ(window.greatest(), 7);
  }
}

TEST(MaxWindow, Case64SecondsAsIndices) {
  MaxWindow<int> window(5);
  window.record(0, 5);
  window.record(6, 4);
  EXPECT_EQ(window.greatest(), 4);
  window.record(7, 6);
  window.record(7, 5);
  EXPECT_EQ(window.greatest(), 6);
}

TEST(MaxWindow, AnOtherLengthKeepsWhatBothHold) {
  MaxWindow<int> window(5);
  for (const int value : {9, 7, 5, 3}) window.record(window.is_empty() ? 1 : 10 - value, value);
  // 9 at 1, 7 at 3, 5 at 5, 3 at 7.
  EXPECT_EQ(window.greatest(), 5 + 2);
  window.resize(3);
  EXPECT_EQ(window.greatest(), 5);
  window.resize(100);
  window.record(8, 1);
  EXPECT_EQ(window.greatest(), 5);
  window.clear();
  EXPECT_TRUE(window.is_empty());
}

RC_GTEST_PROP(MaxWindowProperty, IsTheGreatestOfTheWindow, ()) {
  const auto size = *rc::gen::inRange<std::int64_t>(1, 12);
  MaxWindow<int> window(size);
  std::vector<std::pair<std::int64_t, int>> all;
  std::int64_t index = 0;
  for (int i = 0; i < 60; ++i) {
    index += *rc::gen::inRange(0, 4);
    all.emplace_back(index, *rc::gen::inRange(0, 20));
    window.record(index, all.back().second);
    int greatest = -1;
    for (const auto& [at, value] : all) {
      if (at > index - size) greatest = std::max(greatest, value);
    }
    RC_ASSERT(window.greatest() == greatest);
  }
}

}  // namespace
}  // namespace bellows::metrics
