#include "autoscaler/slow/fits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace bellows::autoscaler::slow {
namespace {

TEST(RobustLine, AQuarterOfWrongPointsDoesNotMoveIt) {
  std::vector<Point> points;
  for (int x = 1; x <= 12; ++x) {
    points.push_back({static_cast<double>(x), x % 4 == 0 ? 500.0 : 3 + 2.0 * x, 1});
  }
  const auto line = robust_line(points);
  EXPECT_NEAR(line->slope, 2, 0.01);
  EXPECT_NEAR(line->offset, 3, 0.1);
}

TEST(RobustLine, OnePlaceOrNoneHasNoSlope) {
  EXPECT_FALSE(robust_line({}).has_value());
  EXPECT_FALSE(robust_line({{5, 1, 1}, {5, 9, 1}}).has_value());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(robust_line({{nan, 1, 1}, {5, nan, 1}, {6, 1, 0}}).has_value());
}

TEST(NonDecreasing, NeighboursInTheWrongOrderShareTheirMean) {
  const auto points = non_decreasing({{1, 1, 1}, {2, 5, 1}, {3, 3, 3}, {4, 9, 1}});
  EXPECT_DOUBLE_EQ(points[1].y, 3.5);
  EXPECT_DOUBLE_EQ(points[2].y, 3.5);
  EXPECT_DOUBLE_EQ(points[3].y, 9);
}

TEST(Crossing, IsBetweenTwoPoints) {
  const std::vector<Point> points = {{2, 10, 1}, {4, 20, 1}};
  EXPECT_DOUBLE_EQ(*crossing(points, 15), 3);
  EXPECT_DOUBLE_EQ(*crossing(points, 5), 1);
  EXPECT_FALSE(crossing(points, 20).has_value());
}

TEST(UslFit, ExactDataGiveBackTheirLaw) {
  const Usl law{.g = 50, .s = 0.03, .k = 0.0004, .residual = 0};
  std::vector<Point> points;
  for (const double n : {1.0, 2.0, 5.0, 9.0, 20.0, 44.0}) points.push_back({n, law.time(n), 1});
  const auto fit = fit_usl(points);
  EXPECT_NEAR(fit->g, 50, 1e-6);
  EXPECT_NEAR(fit->s, 0.03, 1e-9);
  EXPECT_NEAR(fit->k, 0.0004, 1e-9);
}

TEST(UslFit, TimesThatFallWithTheLoadHaveNoNegativeContention) {
  const auto fit = fit_usl({{1, 0.5, 1}, {4, 0.4, 1}, {16, 0.3, 1}, {64, 0.2, 1}});
  EXPECT_GE(fit->s, 0);
  EXPECT_GE(fit->k, 0);
  EXPECT_FALSE(fit_usl({{1, 0.5, 1}, {1, 0.4, 1}}).has_value());
}

}  // namespace
}  // namespace bellows::autoscaler::slow
