// Parses a text that is one number and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace bellows {

/// Parses the whole of `text` as a number in this base, with '-' if Number is signed. Returns
/// nullopt for any other character (a blank, a '+') and for a number that Number cannot hold.
/// Number is an integer type.
template <class Number>
std::optional<Number> read_number(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace bellows
