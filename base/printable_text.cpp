#include "base/printable_text.hpp"

#include <algorithm>

namespace bellows {
namespace {

constexpr std::string_view kCut = "...";

/// Returns true if a terminal may interpret this character of `size` bytes; size 0 means that it is
/// not UTF-8.
bool is_obeyed(std::string_view character, std::size_t size) {
  const auto first = static_cast<unsigned char>(character.front());
  if (size == 1) return first < 0x20 || first == 0x7f;
  const bool is_c1 = first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
  return size == 0 || is_c1;
}

void append_code(char byte, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  out += "\\x";
  out += kHex[value >> 4U];
  out += kHex[value & 0xfU];
}

}  // namespace

std::size_t utf8_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const bool is_overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool is_no_letter = (lead == 0xed && byte(1) > 0x9f) || (lead == 0xf4 && byte(1) > 0x8f);
  return is_overlong || is_no_letter ? 0 : size;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const bool is_ascii = static_cast<unsigned char>(text.front()) < 0x80;
    const std::size_t size = is_ascii ? 1 : utf8_size(text);
    const std::size_t before = out.size();
    if (!is_obeyed(text, size)) {
      out += text.substr(0, size);
    } else {
      for (const char byte : text.substr(0, std::max<std::size_t>(size, 1))) append_code(byte, out);
    }
    if (out.size() > max_bytes) {
      out.resize(std::min(before, max_bytes - std::min(max_bytes, kCut.size())));
      return out += kCut;
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

}  // namespace bellows
