#include "http/io/message.hpp"

#include <algorithm>
#include <charconv>

#include "base/text_parts.hpp"

namespace bellows::http {

namespace {

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const bool has_two_more = text[i] == '%' && i + 2 < text.size();
    const char* const digits = text.data() + i + 1;
    if (has_two_more && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

}  // namespace

std::string Request::parameter(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view pair = next_part(rest, '&');
    const std::size_t equals = pair.find('=');
    if (percent_decoded(pair.substr(0, equals)) != name) continue;
    return equals == std::string_view::npos ? std::string()
                                            : percent_decoded(pair.substr(equals + 1));
  }
  return {};
}

Response json_response(std::string body, int status) {
  return {
      .status = status, .content_type = "application/json", .body = std::move(body), .headers = {}};
}

}  // namespace bellows::http
