#include "config/header_text.hpp"

#include <algorithm>

namespace bellows::config {

bool is_token_byte(char letter) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || kOthers.find(letter) != std::string_view::npos;
}

bool is_field_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_byte);
}

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char letter) {
    return letter == '\t' || (static_cast<unsigned char>(letter) >= ' ' && letter != 0x7f);
  });
}

}  // namespace bellows::config
