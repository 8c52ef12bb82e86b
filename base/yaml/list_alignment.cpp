#include "base/yaml/list_alignment.hpp"

#include <algorithm>

#include <optional>
#include <utility>
#include <vector>

#include "base/text_parts.hpp"

namespace bellows::yaml {
namespace {

struct Line {
  std::string text;
  std::size_t indent = 0;
  bool is_empty = true;  // true also for a line with only a comment
  bool is_item = false;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    Line line{.text = std::string(next_part(text, '\n'))};
    const std::size_t begin = line.text.find_first_not_of(' ');
    line.is_empty = begin == std::string::npos || line.text[begin] == '#';
    line.indent = line.is_empty ? 0 : begin;
    line.is_item = !line.is_empty && line.text.compare(begin, 2, "- ") == 0;
    lines.push_back(std::move(line));
  }
  return lines;
}

/// Moves the lines of the item that begins at `first` by `by`: its own line and those that are
/// aligned with its first key. Lines that are indented deeper are already correct.
void move_item(std::vector<Line>& lines, std::size_t first, std::size_t by) {
  const std::size_t item = lines[first].indent;
  const auto shift = [by](Line& line) {
    line.text.insert(0, by, ' ');
    line.indent += by;
  };
  shift(lines[first]);
  for (std::size_t i = first + 1; i < lines.size(); ++i) {
    if (lines[i].is_empty) continue;
    if (lines[i].indent != item + 2) return;
    shift(lines[i]);
  }
}

}  // namespace

std::string aligned_lists(std::string_view text) {
  std::vector<Line> lines = lines_of(text);
  std::vector<std::size_t> lists;  // indentations of the open lists
  std::vector<std::size_t> keys;   // indentation of the line with the key above each list
  std::size_t key = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].is_empty) continue;
    if (lines[i].is_item) {
      std::optional<std::size_t> left;
      while (!lists.empty() && lists.back() > lines[i].indent) {
        if (lines[i].indent > keys.back()) left = lists.back();
        lists.pop_back();
        if (left) break;
        keys.pop_back();
      }
      if (left) {
        move_item(lines, i, *left - lines[i].indent);
        lists.push_back(*left);
      } else if (lists.empty() || lists.back() < lines[i].indent) {
        lists.push_back(lines[i].indent);
        keys.push_back(key);
      }
      continue;
    }
    while (!lists.empty() && lines[i].indent <= keys.back()) {
      lists.pop_back();
      keys.pop_back();
    }
    const std::size_t colon = lines[i].text.find(':');
    if (colon != std::string::npos) key = lines[i].indent;
  }
  std::string aligned;
  for (const Line& line : lines) aligned += line.text + "\n";
  return aligned;
}

}  // namespace bellows::yaml
