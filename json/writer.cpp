#include "json/writer.hpp"

#include <cmath>
#include <utility>

#include "base/check.hpp"
#include "base/number_text.hpp"
#include "base/printable_text.hpp"

namespace bellows::json {

namespace {

/// Returns the letter after the backslash for characters that have a short escape; 0 for others.
char short_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

bool needs_escape(char c) {
  return c == '"' || c == '\\' || c == '\x7f' || static_cast<unsigned char>(c) < 0x20;
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

void append_escape(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (const char letter = short_escape(c); letter != 0) {
    out += '\\';
    out += letter;
    return;
  }
  out += "\\u00";
  out += kHex[static_cast<unsigned char>(c) >> 4];
  out += kHex[static_cast<unsigned char>(c) & 0xF];
}

/// JSON has no infinity and no NaN.
void append_number(double value, std::string& out) {
  std::isfinite(value) ? append_shortest(value, out) : void(out += "null");
}

}  // namespace

void append_escaped(std::string_view text, std::string& out) {
  std::size_t copied = 0;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t letter = is_ascii(text[i]) ? 1 : utf8_size(text.substr(i));
    if (letter > 0 && !needs_escape(text[i])) {
      i += letter;
      continue;
    }
    out += text.substr(copied, i - copied);
    append_escape(text[i], out);
    copied = ++i;
  }
  out += text.substr(copied);
}

void append_string(std::string_view text, std::string& out) {
  out += '"';
  append_escaped(text, out);
  out += '"';
}

std::string quoted(std::string_view text) {
  std::string out;
  append_string(text, out);
  return out;
}

void Writer::begin_member(std::string_view key) {
  CHECK(open_.back() == '}', "only members of objects have keys");
  if (text_.back() != '{') text_ += ',';
  append_string(key, text_);
  text_ += ':';
}

void Writer::begin_element() {
  CHECK(open_.back() == ']', "only elements of lists have no keys");
  if (text_.back() != '[') text_ += ',';
}

Writer& Writer::number(std::string_view key, double value) {
  begin_member(key);
  append_number(value, text_);
  return *this;
}

Writer& Writer::flag(std::string_view key, bool value) {
  return raw(key, value ? "true" : "false");
}

Writer& Writer::text(std::string_view key, std::string_view value) {
  begin_member(key);
  append_string(value, text_);
  return *this;
}

Writer& Writer::null(std::string_view key) {
  return raw(key, "null");
}

Writer& Writer::raw(std::string_view key, std::string_view json) {
  begin_member(key);
  text_ += json;
  return *this;
}

Writer& Writer::open(std::string_view key) {
  begin_member(key);
  return open_with('{', '}');
}

Writer& Writer::open_list(std::string_view key) {
  begin_member(key);
  return open_with('[', ']');
}

Writer& Writer::number(double value) {
  begin_element();
  append_number(value, text_);
  return *this;
}

Writer& Writer::text(std::string_view value) {
  begin_element();
  append_string(value, text_);
  return *this;
}

Writer& Writer::open() {
  begin_element();
  return open_with('{', '}');
}

Writer& Writer::open_list() {
  begin_element();
  return open_with('[', ']');
}

Writer& Writer::open_with(char bracket, char closing) {
  text_ += bracket;
  open_ += closing;
  return *this;
}

Writer& Writer::close() {
  CHECK(open_.size() > 1, "only what was opened is closed");
  text_ += open_.back();
  open_.pop_back();
  return *this;
}

std::string Writer::end() {
  CHECK(open_ == "}", "everything that was opened is closed");
  text_ += '}';
  return std::exchange(text_, "{");
}

std::string Writer::end_line() {
  return end() + '\n';
}

}  // namespace bellows::json
