#include "autoscaler/slow/estimators.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bellows::autoscaler::slow {
namespace {

constexpr double kCpuShare = 0.8;
constexpr double kAboveFullCpu = 1.25;  // with a goal: see cpu_bound()
/// The share of a limit that counts as full: of CPU with a goal, of memory at the worst moment of
/// days.
constexpr double kFull = 0.95;
/// Seconds of data at which the confidence is one half.
constexpr double kHalfSure = 40;
constexpr double kGrowthWithoutGoal = 1.5;
constexpr double kQuiet = 2;
/// Relative error of the law from which on it is not used.
constexpr double kWorstFit = 0.35;

bool says_something(const LevelSum& sum) {
  return sum.seconds >= kLeastSeconds;
}

/// Returns the confidence from the seconds at levels from half the bound on. The further a curve is
/// extrapolated, the lower it is.
double confidence(const LevelTable& table, double level) {
  double near = 0;
  double highest = 0;
  for (const LevelSum& sum : table.levels()) {
    if (sum.seconds <= 0) continue;
    const double here = sum.mean_in_flight();
    if (says_something(sum)) highest = std::max(highest, here);
    if (here >= level / 2) near += sum.seconds;
  }
  const double seconds = std::max(near, highest >= level ? 0 : 0.25 * table.seconds());
  const double sure = 1 - std::exp2(-seconds / kHalfSure);
  const double known = highest >= level ? 1 : std::sqrt(std::max(highest, 0.01) / level);
  return sure * known;
}

Bound bound_at(const LevelTable& table, double level) {
  level = std::clamp(level, 0.01, 1e6);
  double highest = 0;
  for (const LevelSum& sum : table.levels()) {
    if (says_something(sum)) highest = std::max(highest, sum.mean_in_flight());
  }
  return {.level = level, .confidence = confidence(table, level), .is_seen = highest >= level};
}

/// Returns a point of service time for each level with enough requests. Levels below one request
/// count as one, because a request runs at least alone.
template <class F>
std::vector<Point> points_of(const LevelTable& table, F time_of) {
  std::vector<Point> points;
  for (const LevelSum& sum : table.levels()) {
    const double requests = sum.times.count();
    if (!says_something(sum) || requests < kLeastRequests) continue;
    if (const auto time = time_of(sum.times)) {
      points.push_back({std::max(1.0, sum.mean_in_flight()), *time, requests});
    }
  }
  return points;
}

std::vector<Point> quantiles_of(const LevelTable& table, double quantile) {
  const double least = 1 / std::max(1 - quantile, 1e-6);  // for one request beyond it
  return points_of(table, [&](const TimesSum& times) {
    return times.count() < least ? std::nullopt : times.quantile(quantile);
  });
}

/// Returns the time of a single request, without emptying a replica to measure it. For a table that
/// begins at higher levels the law extrapolates down, at most to a tenth.
template <class F>
std::optional<double> alone(const LevelTable& table, F time_of) {
  TimesSum quiet;
  TimesSum lowest;
  double lowest_level = 1;
  for (const LevelSum& sum : table.levels()) {
    if (sum.seconds <= 0) continue;
    if (sum.mean_in_flight() <= kQuiet) quiet.add(sum.times);
    if (lowest.count() >= kLeastRequests) continue;
    lowest.add(sum.times);
    lowest_level = std::max(1.0, sum.mean_in_flight());
  }
  if (quiet.count() >= kLeastRequests) return time_of(quiet);
  const auto time = time_of(lowest);
  const auto law = law_of(table);
  if (!time || !law || law->residual > kWorstFit) return time;
  return *time * std::clamp(law->time(1) / law->time(lowest_level), 0.1, 1.0);
}

std::optional<double> idle_work(const LevelTable& table) {
  return alone(table, [](const TimesSum& times) { return times.quantile_of_work(0.5); });
}

std::vector<Point> memory_points(const LevelTable& table) {
  std::vector<Point> points;
  for (const LevelSum& sum : table.levels()) {
    if (!says_something(sum) || sum.memory_seconds <= 0) continue;
    points.push_back({sum.mean_in_flight(), sum.memory / sum.memory_seconds, sum.seconds});
  }
  return points;
}

/// Returns the target at which a bad moment has `most` requests: c with f c + sqrt(f c) = most.
double target_with_moments_of(double most, double crowding) {
  const double root = (std::sqrt(1 + 4 * std::max(most, 0.0)) - 1) / 2;
  return std::max(root * root / crowding, 0.5);
}

/// Returns the level at which the time reaches `limit`, extrapolated by the law if no level reaches
/// it.
std::optional<double> level_of_time(const LevelTable& table, const std::vector<Point>& points,
                                    double limit) {
  if (const auto seen = crossing(points, limit)) return seen;
  const auto law = law_of(table);
  if (!law || points.empty() || (law->s <= 0 && law->k <= 0)) return std::nullopt;
  // The quantile grows as the mean does.
  const double ratio = points.back().y / law->time(points.back().x);
  double low = points.back().x;
  double high = low * 64;
  if (law->time(high) * ratio <= limit) return std::nullopt;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (law->time(middle) * ratio <= limit ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::string_view to_string(Reason reason) {
  constexpr std::array<std::string_view, kReasons> kNames = {"cpu", "memory", "latency"};
  return kNames[static_cast<std::size_t>(reason)];
}

std::optional<Bound> cpu_bound(const LevelTable& table, const ReplicaLimits& limits,
                               bool has_goal) {
  if (!(limits.cpu > 0)) return std::nullopt;
  const double allowed = (has_goal ? kFull : kCpuShare) * limits.cpu;
  std::vector<Point> rising;  // below the bend
  std::vector<Point> all;
  for (const LevelSum& sum : table.levels()) {
    if (!says_something(sum) || sum.cpu_seconds <= 0) continue;
    const Point point{sum.mean_in_flight(), sum.cpu / sum.cpu_seconds, sum.seconds};
    all.push_back(point);
    if (point.y <= 0.9 * limits.cpu) rising.push_back(point);
  }
  std::optional<double> level = crossing(non_decreasing(all), allowed);
  if (!level) {
    const auto line = robust_line(rising);
    if (line && line->slope > 0.01 * limits.cpu / 1000) {
      level = std::max(all.back().x, (allowed - line->offset) / line->slope);
    }
  }
  if (has_goal && level) *level *= kAboveFullCpu;
  if (!level) return std::nullopt;
  return bound_at(table, *level);
}

std::optional<Bound> memory_bound(const LevelTable& table, const ReplicaLimits& limits,
                                  const OutOfMemory& kill, double crowding) {
  std::optional<double> level;
  const auto line = robust_line(memory_points(table));
  // Less than half a percent of the limit per doubling from one to a thousand is noise.
  if (line && limits.memory > 0 && line->slope > limits.memory / 20'000) {
    const double most = (kFull * limits.memory - line->offset) / line->slope;
    level = target_with_moments_of(most, std::max(crowding, 1.0));
  }
  if (kill.is_remembered()) {
    level = std::min(level.value_or(kill.level / 2), kill.level / 2);
  }
  if (!level) return std::nullopt;
  Bound bound = bound_at(table, *level);
  if (kill.is_remembered()) bound.confidence = std::max(bound.confidence, 0.9);
  return bound;
}

double kept_quantile(double quantile) {
  const double late = 1 - std::clamp(quantile, 0.0, 1.0);
  // Around the median a second differs less from the mean than in the tail.
  return 1 - late * (quantile < 0.9 ? 0.5 : 0.2);
}

std::optional<Bound> latency_bound(const LevelTable& table,
                                   const std::optional<config::LatencyGoal>& goal) {
  std::vector<Point> points;
  double limit = 0;
  if (goal) {
    points = non_decreasing(quantiles_of(table, kept_quantile(goal->quantile)));
    limit = to_seconds(goal->limit);
  } else {
    points = non_decreasing(
        points_of(table, [](const TimesSum& times) { return times.quantile_of_work(0.5); }));
    const auto idle = idle_work(table);
    if (!idle) return std::nullopt;
    limit = kGrowthWithoutGoal * *idle;
  }
  if (points.empty()) return std::nullopt;
  const auto level = level_of_time(table, points, limit);
  if (!level) return std::nullopt;
  return bound_at(table, std::max(*level, 0.5));
}

std::optional<Usl> law_of(const LevelTable& table) {
  return fit_usl(points_of(table, [](const TimesSum& times) { return times.mean(); }));
}

std::optional<double> idle_time(const LevelTable& table, double quantile) {
  return alone(table, [&](const TimesSum& times) { return times.quantile(quantile); });
}

std::optional<double> time_at(const LevelTable& table, double level, double quantile) {
  const auto points = non_decreasing(quantiles_of(table, quantile));
  if (points.empty()) return std::nullopt;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].x < level) continue;
    if (i == 0) return points[i].y;
    const Point& below = points[i - 1];
    const double run = points[i].x - below.x;
    if (run <= 0) return points[i].y;
    return below.y + (points[i].y - below.y) * (level - below.x) / run;
  }
  const auto law = law_of(table);
  if (!law) return points.back().y;
  return points.back().y * law->time(std::max(level, 1.0)) / law->time(points.back().x);
}

}  // namespace bellows::autoscaler::slow
