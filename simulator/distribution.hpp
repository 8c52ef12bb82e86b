// Probability distributions of durations.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"
#include "base/time.hpp"

namespace bellows::simulator {

/// The inverse of the standard normal distribution, 0 < share < 1, to 1e-9 (P. J. Acklam's rational
/// approximation with one step of Halley's method).
double normal_quantile(double share);

/// The maximum of every draw: a trace spans at most one year.
inline constexpr Duration kMaxDuration = std::chrono::hours(366 * 24);

/// A distribution of durations. Each draw uses one random number and the inverse of the
/// distribution function, so that with equal random numbers a larger distribution gives larger
/// durations.
class Distribution {
 public:
  enum class Shape : std::uint8_t { kFixed, kUniform, kExponential, kLognormal, kPercentiles };

  /// One point of the inverse distribution function.
  struct Percentile {
    double share = 0;  ///< 0 to 1
    Duration duration{};
    bool operator==(const Percentile&) const = default;
  };

  static Distribution fixed(Duration duration);
  static Distribution uniform(Duration min, Duration max);
  static Distribution exponential(Duration mean);
  /// `sigma` is the standard deviation of the logarithm.
  static Distribution lognormal(Duration median, double sigma);
  /// Interpolates linearly between points that increase in both coordinates; the first has share 0,
  /// the last 1.
  static Distribution percentiles(std::vector<Percentile> points);

  Duration draw(SeededRandom& random) const {
    return shape_ == Shape::kFixed ? Duration(first_) : at(random.fraction());
  }
  /// The quantile of `share` (0 <= share < 1), at most kMaxDuration.
  Duration at(double share) const;
  Duration mean() const;
  /// The duration to plan for: the maximum of the distribution if it has one, otherwise its 99.9th
  /// percentile.
  Duration longest() const;

  bool operator==(const Distribution&) const = default;

 private:
  friend std::string to_string(const Distribution& distribution);
  Distribution(Shape shape, Duration first, Duration second, double sigma)
      : shape_(shape), first_(first.count()), second_(second.count()), sigma_(sigma) {}

  Shape shape_;
  Duration::rep first_;   // ns: duration, minimum, mean or median
  Duration::rep second_;  // ns: maximum
  double sigma_;
  std::vector<Percentile> points_;
  // By share in equal cells, the first point above the begin of the cell: a draw is a step or two.
  std::vector<std::uint16_t> first_above_;
};

/// "2s", "uniform(1s,3s)", "exponential(500ms)", "lognormal(20s,0.3)". kInvalidSetting names
/// `name`, the text and the valid forms.
Result<Distribution> parse_distribution(std::string_view name, std::string_view text);

/// Writes the text that parse_distribution() reads back; percentiles as "percentiles(0s..5s)".
std::string to_string(const Distribution& distribution);

/// Splits `text` at commas outside parentheses.
std::vector<std::string_view> split_outside_parentheses(std::string_view text);

}  // namespace bellows::simulator
