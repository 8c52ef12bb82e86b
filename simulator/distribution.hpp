// How long something takes when it does not always take equally long.
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

/// No duration is drawn longer: a trace has at most a year.
inline constexpr Duration kMaxDuration = std::chrono::hours(366 * 24);

/// A duration as chance has it. One random number a draw, through the inverse of the
/// distribution: with the same random numbers a longer distribution gives longer durations.
class Distribution {
 public:
  enum class Shape : std::uint8_t { kFixed, kUniform, kExponential, kLognormal, kPercentiles };

  /// What it takes at a share of all cases.
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
  /// Straight lines between points that rise in both; the first has share 0, the last share 1.
  static Distribution percentiles(std::vector<Percentile> points);

  Duration draw(SeededRandom& random) const {
    return shape_ == Shape::kFixed ? Duration(first_) : at(random.fraction());
  }
  /// What `share` (0 <= share < 1) of all draws stay below; at most kMaxDuration.
  Duration at(double share) const;
  Duration mean() const;
  /// The longest that is worth planning for: the end of the distribution where it has one, else
  /// what one draw in a thousand exceeds.
  Duration longest() const;

  bool operator==(const Distribution&) const = default;

 private:
  friend std::string to_string(const Distribution& distribution);
  Distribution(Shape shape, Duration first, Duration second, double sigma)
      : shape_(shape), first_(first.count()), second_(second.count()), sigma_(sigma) {}

  Shape shape_;
  Duration::rep first_;   // ns: duration, least, mean or median
  Duration::rep second_;  // ns: most
  double sigma_;
  std::vector<Percentile> points_;
};

/// "2s", "uniform(1s,3s)", "exponential(500ms)", "lognormal(20s,0.3)".
/// kInvalidSetting: culprit is `name`, the message has the text and the valid forms.
Result<Distribution> parse_distribution(std::string_view name, std::string_view text);

/// The form that parse_distribution reads back; percentiles as "percentiles(0s..5s)".
std::string to_string(const Distribution& distribution);

/// The parts of `text` between commas that stand in no parentheses.
std::vector<std::string_view> split_outside_parentheses(std::string_view text);

}  // namespace bellows::simulator
