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
  if (amount > static_cast<double>(kMostAmount)) return kMostAmount;
  return static_cast<std::int64_t>(amount);
}

}  // namespace bellows::recommender
