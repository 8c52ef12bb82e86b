#include "base/number_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/check.hpp"

namespace bellows {

namespace {

constexpr int kDigits = 6;
constexpr double kGreatest = 1e18;
constexpr double kMin = 1e-9;

/// "30.20" -> "30.2", "-0.0" -> "0".
std::string without_needless_zeros(std::string text) {
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

}  // namespace

std::string plain_text(double number) {
  CHECK(std::isfinite(number), "a limit is a number");
  std::array<char, 400> text{};  // the longest double has 309 digits, or 324 behind the point
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

std::string readable_text(double number) {
  if (std::isnan(number)) return "no number";
  if (std::isinf(number)) return number > 0 ? "infinity" : "-infinity";
  const double size = std::abs(number);
  std::array<char, 64> text{};
  char* const last = text.data() + text.size();
  if (size >= kGreatest || (size > 0 && size < kMin)) {
    const auto end =
        std::to_chars(text.data(), last, number, std::chars_format::general, kDigits).ptr;
    return {text.data(), end};
  }
  const int before_point = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  const int decimals = std::max(0, kDigits - before_point);
  const auto end = std::to_chars(text.data(), last, number, std::chars_format::fixed, decimals).ptr;
  return without_needless_zeros({text.data(), end});
}

}  // namespace bellows
