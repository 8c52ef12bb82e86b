// A number that a text is, and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace bellows {

/// The number that the whole of `text` says in this base, with '-' if it may be negative. Nothing
/// for no number, for anything before or behind it (a blank, a '+'), and for one that Number does
/// not hold. Number: an integer type.
template <class Number>
std::optional<Number> read_number(std::string_view text, int base = 10) {
  Number number{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace bellows
