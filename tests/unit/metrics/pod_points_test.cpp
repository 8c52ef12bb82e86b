#include "metrics/pod_points.hpp"

#include <gtest/gtest.h>

#include "tests/support/start.hpp"

namespace bellows::metrics {
namespace {

using namespace std::chrono_literals;
using test::kStart;

TEST(PodPoints, TheMeanIsOverAllPointsOfAllPods) {
  PodPoints points(60s, 6s);
  points.record(kStart + 1s, PodName("a"), 8);
  points.record(kStart + 2s, PodName("a"), 4);
  points.record(kStart + 2s, PodName("b"), 6);
  const auto view = points.view(Window::kStable, kStart + 2s);
  EXPECT_EQ(view.mean, 6);
  EXPECT_EQ(view.pods, 2);
}

TEST(PodPoints, APointLeavesExactlyAWindowAfterItCame) {
  PodPoints points(60s, 6s);
  points.record(kStart + 1s, PodName("a"), 8);
  points.record(kStart + 2s, PodName("a"), 4);
  points.record(kStart + 2s, PodName("b"), 6);
  const auto later = points.view(Window::kStable, kStart + 61s);
  EXPECT_EQ(later.mean, 5);
  EXPECT_EQ(later.pods, 2);
  const auto end = points.view(Window::kStable, kStart + 62s);
  EXPECT_TRUE(end.is_empty);
  EXPECT_EQ(end.mean, 0);
  EXPECT_EQ(end.pods, 0);
}

TEST(PodPoints, ThePanicWindowSeesOnlyTheNewest) {
  PodPoints points(60s, 6s);
  for (int second = 1; second <= 20; ++second) {
    points.record(kStart + second * 1s, PodName("a"), second > 14 ? 10 : 1);
  }
  EXPECT_EQ(points.view(Window::kPanic, kStart + 20s).mean, 10);
  EXPECT_EQ(points.view(Window::kStable, kStart + 20s).mean, 3.7);
}

TEST(PodPoints, ALatePointIsPutWhereItBelongs) {
  PodPoints points(60s, 6s);
  points.record(kStart + 30s, PodName("a"), 2);
  points.record(kStart + 1s, PodName("b"), 8);
  EXPECT_EQ(points.view(Window::kStable, kStart + 30s).mean, 5);
  const auto later = points.view(Window::kStable, kStart + 61s);
  EXPECT_EQ(later.mean, 2);
  EXPECT_EQ(later.pods, 1);
}

TEST(PodPoints, AnotherLengthHoldsForWhatIsThere) {
  PodPoints points(60s, 6s);
  for (int second = 1; second <= 60; ++second) {
    points.record(kStart + second * 1s, PodName("a"), second > 30 ? 6 : 2);
  }
  EXPECT_EQ(points.view(Window::kStable, kStart + 60s).mean, 4);
  points.resize(30s, 3s);
  EXPECT_EQ(points.view(Window::kStable, kStart + 60s).mean, 6);
}

}  // namespace
}  // namespace bellows::metrics
