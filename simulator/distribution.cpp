#include "simulator/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "base/read_number.hpp"

namespace bellows::simulator {
namespace {

constexpr std::size_t kCells = 1024;  // of Distribution::first_above_

constexpr std::string_view kValid =
    "want a duration such as 2s, uniform(1s,3s), exponential(500ms) or lognormal(20s,0.3) (median, "
    "and "
    "sigma from 0 to 5), of at most 8784h";
/// With the largest sigma one draw in a thousand is longer than five million medians.
constexpr double kMaxSigma = 5;
constexpr double kPlanningQuantile = 0.999;

Duration rounded(double nanoseconds) {
  constexpr auto kMax = static_cast<double>(kMaxDuration.count());
  return Duration(static_cast<Duration::rep>(std::llround(std::min(nanoseconds, kMax))));
}

double horner(const auto& coefficients, double x) {
  double sum = 0;
  for (const double coefficient : coefficients) sum = sum * x + coefficient;
  return sum;
}

/// Acklam's approximation, relative error below 1.15e-9.
double rough_normal_quantile(double share) {
  static constexpr std::array kCentreTop = {-3.969683028665376e+01, 2.209460984245205e+02,
                                            -2.759285104469687e+02, 1.383577518672690e+02,
                                            -3.066479806614716e+01, 2.506628277459239e+00};
  static constexpr std::array kCentreBottom = {-5.447609879822406e+01, 1.615858368580409e+02,
                                               -1.556989798598866e+02, 6.680131188771972e+01,
                                               -1.328068155288572e+01, 1.0};
  static constexpr std::array kTailTop = {-7.784894002430293e-03, -3.223964580411365e-01,
                                          -2.400758277161838e+00, -2.549732539343734e+00,
                                          4.374664141464968e+00,  2.938163982698783e+00};
  static constexpr std::array kTailBottom = {7.784695709041462e-03, 3.224671290700398e-01,
                                             2.445134137142996e+00, 3.754408661907416e+00, 1.0};
  constexpr double kTail = 0.02425;
  if (share > 1 - kTail) return -rough_normal_quantile(1 - share);
  if (share < kTail) {
    const double q = std::sqrt(-2 * std::log(share));
    return horner(kTailTop, q) / horner(kTailBottom, q);
  }
  const double q = share - 0.5;
  return horner(kCentreTop, q * q) * q / horner(kCentreBottom, q * q);
}

/// "name(a,b)", split; nullopt for any other text.
struct Call {
  std::string_view name;
  std::vector<std::string_view> arguments;
};
std::optional<Call> as_call(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
  return Call{text.substr(0, open),
              split_outside_parentheses(text.substr(open + 1, text.size() - open - 2))};
}

std::optional<double> sigma_of(std::string_view text) {
  const auto value = read_number<double>(text);
  return value && *value >= 0 && *value <= kMaxSigma ? value : std::nullopt;
}

std::optional<Duration> duration_of(std::string_view text) {
  const auto duration = parse_duration(text);
  return duration && *duration <= kMaxDuration ? std::optional(*duration) : std::nullopt;
}

std::optional<Distribution> distribution_of(const Call& call) {
  std::vector<Duration> durations;
  for (const std::string_view argument : call.arguments) {
    const auto duration = duration_of(argument);
    if (!duration) break;
    durations.push_back(*duration);
  }
  const std::size_t count = call.arguments.size();
  if (durations.empty()) return std::nullopt;
  if (call.name == "fixed" && count == 1) return Distribution::fixed(durations[0]);
  if (call.name == "exponential" && count == 1) return Distribution::exponential(durations[0]);
  if (call.name == "uniform" && count == 2 && durations.size() == 2 &&
      durations[0] <= durations[1]) {
    return Distribution::uniform(durations[0], durations[1]);
  }
  if (call.name != "lognormal" || count != 2) return std::nullopt;
  const auto sigma = sigma_of(call.arguments[1]);
  if (!sigma) return std::nullopt;
  return Distribution::lognormal(durations[0], *sigma);
}

}  // namespace

double normal_quantile(double share) {
  const double x = rough_normal_quantile(share);
  const double error = 0.5 * std::erfc(-x / std::numbers::sqrt2) - share;
  const double step = error * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
  return x - step / (1 + x * step / 2);
}

Distribution Distribution::fixed(Duration duration) {
  return {Shape::kFixed, duration, duration, 0};
}
Distribution Distribution::uniform(Duration min, Duration max) {
  return {Shape::kUniform, min, max, 0};
}
Distribution Distribution::exponential(Duration mean) {
  return {Shape::kExponential, mean, mean, 0};
}
Distribution Distribution::lognormal(Duration median, double sigma) {
  return {Shape::kLognormal, median, median, sigma};
}
Distribution Distribution::percentiles(std::vector<Percentile> points) {
  CHECK(points.size() >= 2 && points.size() <= UINT16_MAX && points.front().share == 0 &&
            points.back().share == 1,
        "percentiles cover all cases");
  Distribution made(Shape::kPercentiles, points.front().duration, points.back().duration, 0);
  made.points_ = std::move(points);
  for (std::size_t cell = 0, above = 1; cell < kCells; ++cell) {
    const double begin = static_cast<double>(cell) / kCells;
    while (above + 1 < made.points_.size() && made.points_[above].share <= begin) ++above;
    made.first_above_.push_back(static_cast<std::uint16_t>(above));
  }
  return made;
}

Duration Distribution::at(double share) const {
  const auto first = static_cast<double>(first_);
  switch (shape_) {
    case Shape::kFixed:
      break;
    case Shape::kUniform:
      return rounded(first + share * static_cast<double>(second_ - first_));
    case Shape::kExponential:
      return rounded(-first * std::log1p(-share));
    case Shape::kLognormal: {
      constexpr double kMin = 0x1.0p-54;  // a draw may be zero exactly
      return rounded(first * std::exp(sigma_ * rough_normal_quantile(std::max(share, kMin))));
    }
    case Shape::kPercentiles: {
      auto above = points_.begin() + first_above_[static_cast<std::size_t>(share * kCells)];
      while (above + 1 != points_.end() && above->share <= share) ++above;
      const auto below = above - 1;
      const double part = (share - below->share) / (above->share - below->share);
      return below->duration +
             rounded(part * static_cast<double>((above->duration - below->duration).count()));
    }
  }
  return Duration(first_);
}

Duration Distribution::mean() const {
  const auto first = static_cast<double>(first_);
  if (shape_ == Shape::kUniform) return Duration((first_ + second_) / 2);
  if (shape_ == Shape::kLognormal) return rounded(first * std::exp(sigma_ * sigma_ / 2));
  if (shape_ != Shape::kPercentiles) return Duration(first_);
  double sum = 0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const double width = points_[i].share - points_[i - 1].share;
    sum += width * static_cast<double>((points_[i].duration + points_[i - 1].duration).count()) / 2;
  }
  return rounded(sum);
}

Duration Distribution::longest() const {
  const bool has_end = shape_ != Shape::kExponential && shape_ != Shape::kLognormal;
  return has_end ? Duration(second_) : at(kPlanningQuantile);
}

Result<Distribution> parse_distribution(std::string_view name, std::string_view text) {
  if (const auto call = as_call(text)) {
    if (auto made = distribution_of(*call)) return *std::move(made);
  } else if (const auto duration = duration_of(text)) {
    return Distribution::fixed(*duration);
  }
  return fail(ErrorKind::kInvalidSetting, std::string(name),
              "\"" + std::string(text) + "\": " + std::string(kValid));
}

std::string to_string(const Distribution& distribution) {
  const std::string first = duration_text(Duration(distribution.first_));
  const std::string second = duration_text(Duration(distribution.second_));
  switch (distribution.shape_) {
    case Distribution::Shape::kFixed:
      break;
    case Distribution::Shape::kUniform:
      return "uniform(" + first + "," + second + ")";
    case Distribution::Shape::kExponential:
      return "exponential(" + first + ")";
    case Distribution::Shape::kLognormal: {
      return "lognormal(" + first + "," + shortest_text(distribution.sigma_) + ")";
    }
    case Distribution::Shape::kPercentiles:
      return "percentiles(" + first + ".." + second + ")";
  }
  return first;
}

std::vector<std::string_view> split_outside_parentheses(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')') --depth;
    if (text[at] != ',' || depth != 0) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace bellows::simulator
