// Fits of curves to few noisy points. Pure; the results are finite for any points.
#pragma once

#include <optional>
#include <vector>

namespace bellows::autoscaler::slow {

struct Point {
  double x = 0;
  double y = 0;
  double weight = 1;
};

/// y = offset + slope * x.
struct Line {
  double offset = 0;
  double slope = 0;
};
/// Fits a line by the weighted median of the slopes between all pairs of points, then of the
/// offsets (Theil 1950, Sen 1968). It tolerates outliers of up to 29 % of the weight. nullopt:
/// fewer than two different x.
std::optional<Line> robust_line(const std::vector<Point>& points);

/// Returns the non-decreasing sequence closest to the y of `points`, which are in order of x (pool
/// adjacent violators; Barlow et al. 1972).
std::vector<Point> non_decreasing(std::vector<Point> points);

/// Returns the largest x at which the line through the non-decreasing points reaches `limit`,
/// interpolated between them. nullopt: no point is above the limit. If the first point is above it,
/// the result is its x times limit / y.
std::optional<double> crossing(const std::vector<Point>& points, double limit);

/// The universal scalability law (Gunther 2007): time(n) = (1 + s (n - 1) + k n (n - 1)) / g.
struct Usl {
  double g = 0;         ///< throughput of one request at a time, per second; > 0
  double s = 0;         ///< contention, >= 0
  double k = 0;         ///< crosstalk, >= 0
  double residual = 0;  ///< root mean square of the relative error of the time

  double time(double n) const;
};
/// Fits the time of a request over requests in flight n >= 1 (y = 1/g (1 + s (n-1) + k n (n-1))) by
/// least squares of relative errors, with s, k >= 0. nullopt: fewer than three different x.
std::optional<Usl> fit_usl(const std::vector<Point>& points);

}  // namespace bellows::autoscaler::slow
