// Classes of bytes in a head, tested for whole names and values because those are most of the bytes
// of a request. Within http. Source: RFC 9110 5.5, 5.6.2, RFC 3986 3.2.2. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace bellows::http {

inline constexpr std::uint8_t kTokenByte = 1;
inline constexpr std::uint8_t kValueByte = 2;
inline constexpr std::uint8_t kHostByte = 4;
/// A byte of a token, except upper-case letters.
inline constexpr std::uint8_t kLowerTokenByte = 8;

namespace detail {

constexpr std::array<std::uint8_t, 256> byte_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = 0x21; c <= 0x7e; ++c) classes[c] |= kValueByte;
  for (unsigned c = 0x80; c <= 0xff; ++c) classes[c] |= kValueByte;
  classes[' '] |= kValueByte;
  classes['\t'] |= kValueByte;
  for (const char c : std::string_view("0123456789abcdefghijklmnopqrstuvwxyz")) {
    classes[static_cast<unsigned char>(c)] |= kTokenByte | kHostByte | kLowerTokenByte;
  }
  for (const char c : std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    classes[static_cast<unsigned char>(c)] |= kTokenByte | kHostByte;
  }
  for (const char c : std::string_view("!#$%&'*+-.^_`|~")) {
    classes[static_cast<unsigned char>(c)] |= kTokenByte | kLowerTokenByte;
  }
  // reg-name: unreserved, percent, sub-delims. The comma is excluded because a list of hosts is an
  // attack.
  for (const char c : std::string_view("-._~%!$&'()*+;=")) {
    classes[static_cast<unsigned char>(c)] |= kHostByte;
  }
  return classes;
}

inline constexpr std::array<std::uint8_t, 256> kByteClasses = byte_classes();

inline constexpr std::size_t kWord = sizeof(std::uint64_t);

/// Returns true if a byte is below 0x20 or is 0x7f. Of these only a tab is valid in a value.
inline bool has_control(const char* bytes) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, kWord);
  const std::uint64_t deletes = word ^ (kOnes * 0x7f);
  return ((((word - kOnes * 0x20) & ~word) | ((deletes - kOnes) & ~deletes)) & kHighs) != 0;
}

}  // namespace detail

inline bool is_class(char c, std::uint8_t wanted) {
  return (detail::kByteClasses[static_cast<unsigned char>(c)] & wanted) != 0;
}

/// Returns true if all bytes are of that class.
inline bool are_class(std::string_view text, std::uint8_t wanted) {
  std::uint8_t common = wanted;
  for (const char c : text) common &= detail::kByteClasses[static_cast<unsigned char>(c)];
  return common != 0;
}

/// Equals are_class(value, kValueByte), eight bytes at a time.
inline bool are_value_bytes(std::string_view value) {
  using detail::kWord;
  if (value.size() < kWord) return are_class(value, kValueByte);
  const std::size_t last = value.size() - kWord;  // the last word overlaps the one before
  bool has_control = detail::has_control(value.data() + last);
  for (std::size_t at = 0; at < last; at += kWord) {
    has_control |= detail::has_control(value.data() + at);
  }
  return !has_control || are_class(value, kValueByte);
}

}  // namespace bellows::http
