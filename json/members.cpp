#include "json/members.hpp"

#include <algorithm>

namespace bellows::json {
namespace {

constexpr auto kNone = std::string_view::npos;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

/// Returns the place after the text that begins at `at`; kNone if it does not end.
std::size_t end_of_text(std::string_view text, std::size_t at) {
  for (std::size_t end = text.find('"', at + 1); end != kNone; end = text.find('"', end + 1)) {
    std::size_t slashes = 0;
    while (text[end - 1 - slashes] == '\\') ++slashes;
    if (slashes % 2 == 0) return end + 1;
  }
  return kNone;
}

/// Returns the place after the object or array that begins at `at`.
std::size_t end_of_nested(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      at = end_of_text(text, at);
      if (at == kNone) return kNone;
      --at;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return kNone;
}

std::size_t end_of_value(std::string_view text, std::size_t at) {
  if (at >= text.size()) return kNone;
  if (text[at] == '"') return end_of_text(text, at);
  if (text[at] == '{' || text[at] == '[') return end_of_nested(text, at);
  const std::size_t begin = at;
  while (at < text.size() && text[at] != ',' && text[at] != '}' && !is_blank(text[at])) ++at;
  return at == begin ? kNone : at;
}

}  // namespace

bool find_members(std::string_view line, std::span<Member> wanted) {
  std::size_t at = skip_blanks(line, 0);
  if (at >= line.size() || line[at] != '{') return false;
  at = skip_blanks(line, at + 1);
  if (at < line.size() && line[at] == '}') return skip_blanks(line, at + 1) == line.size();
  while (at < line.size() && line[at] == '"') {
    const std::size_t key_end = end_of_text(line, at);
    if (key_end == kNone) return false;
    const std::string_view key = line.substr(at + 1, key_end - at - 2);
    at = skip_blanks(line, key_end);
    if (at >= line.size() || line[at] != ':') return false;
    at = skip_blanks(line, at + 1);
    const std::size_t value_end = end_of_value(line, at);
    if (value_end == kNone) return false;
    const auto member = std::ranges::find(wanted, key, &Member::key);
    if (member != wanted.end()) member->value = line.substr(at, value_end - at);
    at = skip_blanks(line, value_end);
    if (at >= line.size()) return false;
    if (line[at] == '}') return skip_blanks(line, at + 1) == line.size();
    if (line[at] != ',') return false;
    at = skip_blanks(line, at + 1);
  }
  return false;
}

std::string_view without_quotes(std::string_view value) {
  if (value.size() < 2 || value.front() != '"') return value;
  return value.substr(1, value.size() - 2);
}

}  // namespace bellows::json
