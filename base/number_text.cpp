#include "base/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/check.hpp"

namespace bellows {

namespace {

constexpr int kDigits = 6;
constexpr double kExponentFrom = 1e18;
constexpr double kExponentBelow = 1e-9;
/// The longest double without an exponent has 309 digits before the point or 324 after it.
constexpr std::size_t kMaxLength = 400;

/// Appends the output of to_chars() with `format...` (none, a format, or a format and digits).
template <class... Format>
void append(std::string& out, double number, Format... format) {
  std::array<char, kMaxLength> text;  // NOLINT: to_chars() fills it
  out.append(text.data(),
             std::to_chars(text.data(), text.data() + text.size(), number, format...).ptr);
}

template <class... Format>
std::string text_of(double number, Format... format) {
  std::string text;
  append(text, number, format...);
  return text;
}

/// Turns "30.20" into "30.2" and "-0.0" into "0".
std::string without_trailing_zeros(std::string text) {
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

}  // namespace

void append_shortest(double number, std::string& out) {
  append(out, number);
}

std::string shortest_text(double number) {
  std::string text;
  append_shortest(number, text);
  return text;
}

std::string plain_text(double number) {
  CHECK(std::isfinite(number), "a limit is finite");
  return text_of(number, std::chars_format::fixed);
}

std::string significant_text(double number, int digits) {
  return text_of(number, std::chars_format::general, digits);
}

std::string fixed_text(double number, int decimals) {
  return text_of(number, std::chars_format::fixed, decimals);
}

std::string readable_text(double number) {
  if (std::isnan(number)) return "no number";
  if (std::isinf(number)) return number > 0 ? "infinity" : "-infinity";
  const double size = std::abs(number);
  if (size >= kExponentFrom || (size > 0 && size < kExponentBelow)) {
    return significant_text(number, kDigits);
  }
  const int before_point = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  return without_trailing_zeros(fixed_text(number, std::max(0, kDigits - before_point)));
}

}  // namespace bellows
