#include "base/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace bellows {

namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto kValues = [] {
  std::array<std::int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}();

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = (group << 8U) | (k < here ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= here ? kAlphabet[(group >> (18 - 6 * k)) & 63U] : '=';
    }
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  int digits = 0;  // digits read of the current group of four
  int padding = 0;
  for (const char c : text) {
    if (is_space(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::int8_t value = kValues[static_cast<unsigned char>(c)];
    if (value < 0 || padding > 0) return std::nullopt;
    group = (group << 6U) | static_cast<std::uint32_t>(value);
    if (++digits < 4) continue;
    for (const unsigned shift : {16U, 8U, 0U}) bytes += static_cast<char>(group >> shift & 255U);
    digits = 0;
    group = 0;
  }
  if ((digits + padding) % 4 != 0 || digits == 1 || padding > 2) return std::nullopt;
  if (digits == 2) bytes += static_cast<char>(group >> 4U & 255U);
  if (digits == 3) {
    bytes += static_cast<char>(group >> 10U & 255U);
    bytes += static_cast<char>(group >> 2U & 255U);
  }
  return bytes;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t group = 0;
  unsigned open = 0;  // bits of `group` that are no byte yet
  for (const char c : text) {
    if (c == '+' || c == '/') return std::nullopt;
    const char standard = c == '-' ? '+' : c == '_' ? '/' : c;
    const std::int8_t value = kValues[static_cast<unsigned char>(standard)];
    if (value < 0) return std::nullopt;
    group = (group << 6U) | static_cast<std::uint32_t>(value);
    open += 6;
    if (open < 8) continue;
    open -= 8;
    bytes += static_cast<char>(group >> open & 255U);
  }
  const bool is_whole = open < 6 && (group & ((1U << open) - 1U)) == 0;
  return is_whole ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace bellows
