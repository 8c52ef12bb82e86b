#include "http/core/normalize.hpp"

#include <algorithm>
#include <string_view>

namespace bellows::http {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// A header line and what precedes it.
struct Line {
  std::span<char> before;  ///< ends with a line end
  std::span<char> bytes;   ///< its own line end included
  bool is_first;           ///< directly after the status line
};

bool unfold(const Line& line) {
  const std::span<char> before = line.before;
  if (line.is_first || !is_blank(line.bytes.front())) return false;
  if (before.size() < 2 || before[before.size() - 2] != '\r') return false;
  std::fill(before.end() - 2, before.end(), ' ');
  std::fill(line.bytes.begin(), std::find_if_not(line.bytes.begin(), line.bytes.end(), is_blank),
            ' ');
  return true;
}

bool move_colon(const Line& line) {
  const std::span<char> bytes = line.bytes;
  const auto colon = std::find(bytes.begin(), bytes.end(), ':');
  if (colon == bytes.end() || is_blank(bytes.front())) return false;
  auto name_end = colon;
  while (name_end != bytes.begin() && is_blank(*(name_end - 1))) --name_end;
  if (name_end == colon) return false;
  std::fill(name_end, colon + 1, ' ');
  *name_end = ':';
  return true;
}

bool normalize_lines(std::span<char> head, bool (*normalize)(const Line&)) {
  const std::string_view text(head.data(), head.size());
  bool has_changed = false;
  bool is_first = true;
  for (std::size_t begin = text.find('\n') + 1; begin != 0 && begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    if (end == 0 || text[begin] == '\r' || text[begin] == '\n') break;
    has_changed |= normalize({head.first(begin), head.subspan(begin, end - begin), is_first});
    is_first = false;
    begin = end;
  }
  return has_changed;
}

}  // namespace

bool normalize_response_head(std::span<char> bytes) {
  const bool was_folded = normalize_lines(bytes, unfold);
  const bool had_space = normalize_lines(bytes, move_colon);
  return was_folded || had_space;
}

}  // namespace bellows::http
