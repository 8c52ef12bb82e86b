#include "recommender/core/go_arithmetic.hpp"

#include <cmath>
#include <cstdlib>

namespace bellows::recommender {

double go_power(double base, int exponent) {
  if (exponent == 0) return 1;
  if (exponent == 1) return base;
  if (std::isinf(base)) return exponent < 0 ? 0 : base;
  double result = 1;
  int result_exponent = 0;
  int square_exponent = 0;
  double square = std::frexp(base, &square_exponent);
  for (int left = std::abs(exponent); left != 0; left >>= 1) {
    if ((left & 1) == 1) {
      result *= square;
      result_exponent += square_exponent;
    }
    square *= square;
    square_exponent <<= 1;
    if (square < 0.5) {
      square += square;
      --square_exponent;
    }
  }
  if (exponent < 0) {
    result = 1 / result;
    result_exponent = -result_exponent;
  }
  return std::ldexp(result, result_exponent);
}

double go_exp2(double exponent) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  // (r (e^r + 1) / (e^r - 1) - 2) / r^2 as a polynomial of r^2, |r| <= ln 2 / 2.
  constexpr double kRemez[] = {1.66666666666666657415e-01, -2.77777777770155933842e-03,
                               6.61375632143793436117e-05, -1.65339022054652515390e-06,
                               4.13813679705723846039e-08};
  const auto whole = static_cast<int>(exponent + (exponent < 0 ? -0.5 : 0.5));
  const double rest = exponent - whole;
  const double high = rest * kLn2High;
  const double low = -rest * kLn2Low;
  const double r = high - low;
  const double t = r * r;
  double series = kRemez[4];
  for (int i = 3; i >= 0; --i) series = kRemez[i] + t * series;
  const double c = r - t * series;
  const double mantissa = 1 - ((low - (r * c) / (2 - c)) - high);
  return std::ldexp(mantissa, whole);
}

WallTime go_round(WallTime time, Duration step) {
  __extension__ using Wide = __int128;
  constexpr Wide kSecondsTo1970 = 62'135'596'800;
  const Wide since_year_1 =
      kSecondsTo1970 * 1'000'000'000 + static_cast<Wide>(time.time_since_epoch().count());
  const auto rest = static_cast<std::int64_t>(since_year_1 % step.count());
  return rest < step.count() - rest ? time - Duration(rest) : time + (step - Duration(rest));
}

std::int64_t whole_amount(double amount) {
  if (!(amount > 0)) return 0;  // NaN is an empty histogram without confidence: 0 times infinity
  if (amount > static_cast<double>(kMaxAmount)) return kMaxAmount;
  return static_cast<std::int64_t>(amount);
}

}  // namespace bellows::recommender
