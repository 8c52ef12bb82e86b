// Writes JSON member by member, with the shortest numbers that read back.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace bellows::report {

/// The shortest text that reads back as the same number.
std::string shortest_text(double number);

/// The caller opens and closes objects and arrays; commas are added. Pure.
class JsonText {
 public:
  JsonText& open(char bracket);
  JsonText& close(char bracket);
  /// The name of the member that follows.
  JsonText& key(std::string_view name);

  JsonText& value(double number);
  JsonText& value(std::string_view text);
  template <std::integral T>
  JsonText& value(T number) {
    if constexpr (std::same_as<T, bool>) return raw(number ? "true" : "false");
    return raw(std::to_string(number));
  }

  template <class T>
  JsonText& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

  const std::string& text() const { return text_; }

 private:
  JsonText& raw(std::string_view text);

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace bellows::report
