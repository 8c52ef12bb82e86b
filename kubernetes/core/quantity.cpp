#include "kubernetes/core/quantity.hpp"

#include <algorithm>
#include <limits>

#include "base/read_number.hpp"

namespace bellows::kubernetes {

namespace {

__extension__ using Int128 = __int128;

constexpr Int128 kNanoPerUnit = 1'000'000'000;
constexpr Int128 kMaxNano = kNanoPerUnit * std::numeric_limits<std::int64_t>::max();

/// The factor of a suffix for nano-units: 2^binary * 10^decimal.
struct Multiplier {
  int binary = 0;
  int decimal = 0;
};

std::optional<Multiplier> multiplier_of(std::string_view suffix) {
  struct Row {
    std::string_view suffix;
    Multiplier multiplier;
  };
  static constexpr Row kRows[] = {
      {"n", {0, -9}},  {"u", {0, -6}},  {"m", {0, -3}},  {"", {0, 0}},
      {"k", {0, 3}},   {"M", {0, 6}},   {"G", {0, 9}},   {"T", {0, 12}},
      {"P", {0, 15}},  {"E", {0, 18}},  {"Ki", {10, 0}}, {"Mi", {20, 0}},
      {"Gi", {30, 0}}, {"Ti", {40, 0}}, {"Pi", {50, 0}}, {"Ei", {60, 0}}};
  for (const Row& row : kRows) {
    if (row.suffix == suffix) return row.multiplier;
  }
  // Parses an exponent: e3, E-2. "E" alone is the suffix above.
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  suffix.remove_prefix(1);
  if (suffix.starts_with('+') && !suffix.starts_with("+-")) suffix.remove_prefix(1);
  const auto exponent = read_number<int>(suffix);
  constexpr int kMaxExponent = 1000;  // beyond it every number is one of the bounds or rounds up
  if (!exponent) return std::nullopt;
  return Multiplier{.binary = 0, .decimal = std::clamp(*exponent, -kMaxExponent, kMaxExponent)};
}

/// Bound at which a product saturates, far above kMaxNano.
constexpr Int128 kBound = Int128{1} << 100;

Int128 times(Int128 value, Int128 factor) {
  return value != 0 && value > kBound / factor ? kBound : value * factor;
}

struct Digits {
  Int128 value = 0;       // digits without the point
  int fraction = 0;       // number of digits after it
  bool has_more = false;  // digits other than 0 were cut
};

/// Removes the digits from `text` up to the suffix; returns nullopt if there are none.
std::optional<Digits> take_digits(std::string_view& text) {
  constexpr Int128 kFull = kBound / 1000;
  Digits digits;
  bool has_digit = false;
  bool has_point = false;
  while (!text.empty()) {
    const char c = text.front();
    if (c == '.' && !has_point) {
      has_point = true;
    } else if (c >= '0' && c <= '9') {
      has_digit = true;
      if (digits.value < kFull) {
        digits.value = digits.value * 10 + (c - '0');
        if (has_point) ++digits.fraction;
      } else {
        digits.has_more = digits.has_more || c != '0';
        if (!has_point) --digits.fraction;
      }
    } else {
      break;
    }
    text.remove_prefix(1);
  }
  return has_digit ? std::optional(digits) : std::nullopt;
}

/// Returns ceil(value / 10^power), and whether it was exact; powers beyond the value's digits
/// return 0 or 1.
Int128 divided_up(Int128 value, int power, bool has_more) {
  bool is_exact = !has_more;
  for (int i = 0; i < power && value > 0; ++i) {
    is_exact = is_exact && value % 10 == 0;
    value /= 10;
  }
  return is_exact ? value : value + 1;
}

Int128 ceiling(Int128 value, Int128 divisor) {
  const Int128 quotient = value / divisor;
  return value % divisor > 0 ? quotient + 1 : quotient;
}

std::int64_t bounded(Int128 value) {
  constexpr Int128 kMax = std::numeric_limits<std::int64_t>::max();
  constexpr Int128 kMin = std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::clamp(value, kMin, kMax));
}

}  // namespace

Quantity Quantity::from_milli(std::int64_t thousandths) {
  return Quantity(Int128{thousandths} * (kNanoPerUnit / 1000));
}

Quantity Quantity::from_units(std::int64_t units) {
  return Quantity(Int128{units} * kNanoPerUnit);
}

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto invalid = [text] {
    return fail(ErrorKind::kInvalidSetting, std::string(text),
                "want a quantity such as \"250m\", \"1.5Gi\" or \"1e3\"");
  };
  std::string_view rest = text;
  const bool is_negative = rest.starts_with('-');
  if (is_negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto digits = take_digits(rest);
  if (!digits) return invalid();
  const auto multiplier = multiplier_of(rest);
  if (!multiplier) return invalid();
  Int128 value = digits->value;
  for (int i = 0; i < multiplier->binary; ++i) value = times(value, 2);
  const int power = 9 + multiplier->decimal - digits->fraction;
  for (int i = 0; i < power && value != 0 && value < kBound; ++i) value = times(value, 10);
  if (power < 0) value = divided_up(value, -power, digits->has_more);
  value = std::min(value, kMaxNano);
  return Quantity(is_negative ? -value : value);
}

std::int64_t Quantity::milli() const {
  return bounded(ceiling(nano_, kNanoPerUnit / 1000));
}

std::int64_t Quantity::units() const {
  return bounded(ceiling(nano_, kNanoPerUnit));
}

}  // namespace bellows::kubernetes
