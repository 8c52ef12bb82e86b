// Writes JSON into one string, member by member. Numbers read back to the same doubles.
#pragma once

#include <cmath>
#include <concepts>
#include <string>
#include <string_view>

namespace bellows::json {

/// Appends `text` escaped for a string of JSON (RFC 8259, 7), without quotes. Bytes that are not
/// UTF-8 are written one by one, as U+0080 to U+00FF; so is DEL, which no terminal shows.
void append_escaped(std::string_view text, std::string& out);
/// Appends the same with quotes.
void append_string(std::string_view text, std::string& out);
/// Returns it so, in double quotes; such a text is a scalar of YAML too.
std::string quoted(std::string_view text);

/// Writes one object. Members are in the order of the calls: Writer().number("at",
/// 3.6).flag("empty", false).end_line() is `{"at":3.6,"empty":false}` and a line break. Incorrect
/// nesting (a member within a list, end() before the last close()) is a defect of the caller and
/// aborts.
class Writer {
 public:
  // The following functions write members of the innermost open object. A number that is not
  // finite is written as null.
  Writer& number(std::string_view key, double value);
  Writer& integer(std::string_view key, std::integral auto value) {
    begin_member(key);
    text_ += std::to_string(value);
    return *this;
  }
  Writer& flag(std::string_view key, bool value);
  Writer& text(std::string_view key, std::string_view value);
  Writer& null(std::string_view key);
  /// Writes one of the above, by the type of `value`. A number that is not finite is written as
  /// null.
  template <class T>
  Writer& member(std::string_view key, const T& value) {
    if constexpr (std::same_as<T, bool>) {
      return flag(key, value);
    } else if constexpr (std::integral<T>) {
      return integer(key, value);
    } else if constexpr (std::floating_point<T>) {
      return number(key, value);
    } else {
      return text(key, value);
    }
  }
  /// Writes `json`, which must be a valid JSON value, unchanged.
  Writer& raw(std::string_view key, std::string_view json);
  Writer& open(std::string_view key);       ///< an object; close() ends it
  Writer& open_list(std::string_view key);  ///< a list; close() ends it

  // The following functions write elements of the innermost open list. A number that is not finite
  // is written as null.
  Writer& number(double value);
  Writer& text(std::string_view value);
  Writer& open();
  Writer& open_list();

  Writer& close();

  /// Returns the finished object and resets the writer. Everything that was opened must be closed.
  std::string end();
  /// Does the same and adds a line break.
  std::string end_line();

 private:
  void begin_member(std::string_view key);
  void begin_element();
  Writer& open_with(char bracket, char closing);

  std::string text_ = "{";
  std::string open_ = "}";  // closing brackets of what is open, the innermost last
};

}  // namespace bellows::json
