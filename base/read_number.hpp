// Parses a text that is one number and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace bellows {

/// Parses the whole of `text` as a number in this base, with '-' if Number is signed. Returns
/// nullopt for any other character (a blank, a '+') and for a number that Number cannot hold. A
/// floating point number may be "inf" or "nan", and has no base.
template <class Number>
std::optional<Number> read_number(std::string_view text, [[maybe_unused]] int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  std::from_chars_result read{};
  if constexpr (std::is_integral_v<Number>) {
    read = std::from_chars(text.data(), end, number, base);
  } else {
    read = std::from_chars(text.data(), end, number);
  }
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace bellows
