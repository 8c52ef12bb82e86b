#include "autoscaler/slow/fits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace bellows::autoscaler::slow {
namespace {

/// A value and its weight.
using Weighted = std::pair<double, double>;

double weighted_median(std::vector<Weighted>& values) {
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const Weighted& value : values) total += value.second;
  double below = 0;
  for (const Weighted& value : values) {
    below += value.second;
    if (below >= total / 2) return value.first;
  }
  return values.back().first;
}

bool is_usable(const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.weight) &&
         point.weight > 0;
}

std::vector<Point> usable(const std::vector<Point>& points) {
  std::vector<Point> kept;
  for (const Point& point : points) {
    if (is_usable(point)) kept.push_back(point);
  }
  return kept;
}

constexpr std::size_t kTerms = 3;
using Vector = std::array<double, kTerms>;

/// The terms of the law beside a, b and c in time = a + b (n - 1) + c n (n - 1).
Vector terms_at(double n) {
  return {1, n - 1, n * (n - 1)};
}

/// Solves the normal equations of the terms in `used`; nullopt if they are singular.
std::optional<Vector> solve(const std::vector<Point>& points,
                            const std::array<bool, kTerms>& used) {
  std::array<std::array<double, kTerms + 1>, kTerms> m{};
  for (const Point& point : points) {
    const Vector terms = terms_at(point.x);
    const double weight = point.weight / (point.y * point.y);
    for (std::size_t i = 0; i < kTerms; ++i) {
      for (std::size_t j = 0; j < kTerms; ++j) m[i][j] += weight * terms[i] * terms[j];
      m[i][kTerms] += weight * terms[i] * point.y;
    }
  }
  for (std::size_t i = 0; i < kTerms; ++i) {
    if (used[i]) continue;
    for (std::size_t j = 0; j < kTerms; ++j) m[i][j] = m[j][i] = 0;
    m[i][i] = 1;
    m[i][kTerms] = 0;
  }
  Vector pivots{};
  for (std::size_t i = 0; i < kTerms; ++i) pivots[i] = m[i][i];
  for (std::size_t i = 0; i < kTerms; ++i) {
    if (!(m[i][i] > 1e-12 * pivots[i])) return std::nullopt;
    for (std::size_t row = i + 1; row < kTerms; ++row) {
      const double factor = m[row][i] / m[i][i];
      for (std::size_t j = i; j <= kTerms; ++j) m[row][j] -= factor * m[i][j];
    }
  }
  Vector solution{};
  for (std::size_t i = kTerms; i-- > 0;) {
    double rest = m[i][kTerms];
    for (std::size_t j = i + 1; j < kTerms; ++j) rest -= m[i][j] * solution[j];
    solution[i] = rest / m[i][i];
    if (!std::isfinite(solution[i])) return std::nullopt;
  }
  return solution;
}

double squares(const std::vector<Point>& points, const Vector& of) {
  double sum = 0;
  double total = 0;
  for (const Point& point : points) {
    const Vector terms = terms_at(point.x);
    const double y = of[0] * terms[0] + of[1] * terms[1] + of[2] * terms[2];
    const double error = y / point.y - 1;
    sum += point.weight * error * error;
    total += point.weight;
  }
  return sum / total;
}

}  // namespace

std::optional<Line> robust_line(const std::vector<Point>& given) {
  const std::vector<Point> points = usable(given);
  std::vector<Weighted> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const double run = points[j].x - points[i].x;
      if (std::abs(run) < 1e-9) continue;
      // Far pairs determine the slope better than near ones.
      const double weight = std::sqrt(points[i].weight * points[j].weight) * std::abs(run);
      slopes.emplace_back((points[j].y - points[i].y) / run, weight);
    }
  }
  if (slopes.empty()) return std::nullopt;
  Line line;
  line.slope = weighted_median(slopes);
  std::vector<Weighted> offsets;
  for (const Point& point : points) {
    offsets.emplace_back(point.y - line.slope * point.x, point.weight);
  }
  line.offset = weighted_median(offsets);
  return line;
}

std::vector<Point> non_decreasing(std::vector<Point> points) {
  struct Block {
    double y;
    double weight;
    std::size_t size;
  };
  std::vector<Block> blocks;
  for (const Point& point : points) {
    blocks.push_back({point.y, std::max(point.weight, 1e-9), 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].y > blocks.back().y) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& before = blocks.back();
      const double weight = before.weight + last.weight;
      before.y = (before.y * before.weight + last.y * last.weight) / weight;
      before.weight = weight;
      before.size += last.size;
    }
  }
  std::size_t at = 0;
  for (const Block& block : blocks) {
    for (std::size_t i = 0; i < block.size; ++i) points[at++].y = block.y;
  }
  return points;
}

std::optional<double> crossing(const std::vector<Point>& points, double limit) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& above = points[i];
    if (above.y <= limit) continue;
    if (i == 0) return above.y > 0 ? above.x * limit / above.y : above.x;
    const Point& below = points[i - 1];
    const double share = (limit - below.y) / (above.y - below.y);
    return below.x + share * (above.x - below.x);
  }
  return std::nullopt;
}

double Usl::time(double n) const {
  return (1 + s * (n - 1) + k * n * (n - 1)) / g;
}

std::optional<Usl> fit_usl(const std::vector<Point>& given) {
  std::vector<Point> points;
  for (Point point : usable(given)) {
    point.x = std::max(point.x, 1.0);
    if (point.y > 0) points.push_back(point);
  }
  std::vector<double> different;
  for (const Point& point : points) different.push_back(point.x);
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < 3) return std::nullopt;
  constexpr std::array<std::array<bool, kTerms>, 4> kShapes = {
      {{true, true, true}, {true, true, false}, {true, false, true}, {true, false, false}}};
  std::optional<Usl> best;
  for (const auto& used : kShapes) {
    const auto of = solve(points, used);
    if (!of || !((*of)[0] > 0) || (*of)[1] < 0 || (*of)[2] < 0) continue;
    const double residual = std::sqrt(squares(points, *of));
    if (best && best->residual <= residual) continue;
    best = Usl{1 / (*of)[0], (*of)[1] / (*of)[0], (*of)[2] / (*of)[0], residual};
  }
  return best;
}

}  // namespace bellows::autoscaler::slow
