// Base64 in the alphabet of URLs (RFC 4648, section 5), for tests that write tokens.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/base64.hpp"

namespace bellows::test {

inline std::string to_base64url(std::string_view bytes) {
  std::string text = to_base64(bytes);
  text.resize(text.find_last_not_of('=') + 1);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

}  // namespace bellows::test
