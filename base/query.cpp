#include "base/query.hpp"

namespace bellows {

namespace {

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += kDigits[byte >> 4U];
    encoded += kDigits[byte & 15U];
  }
  return encoded;
}

Query& Query::add(std::string_view key, std::string_view value) {
  target_ += has_member_ ? '&' : '?';
  has_member_ = true;
  target_.append(key).append("=").append(percent_encoded(value));
  return *this;
}

Query& Query::add_unless_empty(std::string_view key, std::string_view value) {
  return value.empty() ? *this : add(key, value);
}

}  // namespace bellows
