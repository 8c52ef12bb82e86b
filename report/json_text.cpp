#include "report/json_text.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace bellows::report {

JsonText& JsonText::raw(std::string_view text) {
  if (needs_comma_) text_ += ',';
  text_ += text;
  needs_comma_ = true;
  return *this;
}

JsonText& JsonText::open(char bracket) {
  raw(std::string_view(&bracket, 1));
  needs_comma_ = false;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  value(name);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

std::string shortest_text(double number) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

JsonText& JsonText::value(double number) {
  return raw(shortest_text(number));
}

JsonText& JsonText::value(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      quoted += escape.data();
    } else {
      quoted += c;
    }
  }
  return raw(quoted + '"');
}

}  // namespace bellows::report
