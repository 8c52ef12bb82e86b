#include "injector/core/layout.hpp"

#include <algorithm>

namespace bellows::injector {

namespace {

constexpr std::string_view kSpaces = " \t\r";

bool is_space(char c) {
  return kSpaces.find(c) != std::string_view::npos || c == '\n';
}

/// The scalar that stands last in the text of `node`.
const Node& last_scalar(const Node& node) {
  if (node.is_alias) return node;
  if (node.is_map() && !node.entries.empty()) return last_scalar(node.entries.back().value);
  if (node.is_sequence() && !node.items.empty()) return last_scalar(node.items.back());
  return node;
}

}  // namespace

Layout::Layout(std::string_view text) : text_(text), newline_("\n") {
  const std::size_t first = text.find('\n');
  if (first != std::string_view::npos && first > 0 && text[first - 1] == '\r') newline_ = "\r\n";
}

std::size_t Layout::line_begin(std::size_t at) const {
  if (at == 0) return 0;
  const std::size_t before = text_.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

std::size_t Layout::line_end(std::size_t at) const {
  const std::size_t end = text_.find('\n', at);
  return end == std::string_view::npos ? text_.size() : end + 1;
}

bool Layout::begins_line(std::size_t at) const {
  const std::size_t begin = line_begin(at);
  return text_.substr(begin, at - begin).find_first_not_of(' ') == std::string_view::npos;
}

std::size_t Layout::entry_end(const Node& map, std::size_t index) const {
  const Entry& entry = map.entries[index];
  if (map.is_flow) return flow_value_end(entry.value);
  const bool is_last = index + 1 == map.entries.size();
  const std::size_t bound = is_last ? map.bound : map.entries[index + 1].key.begin;
  return lines_end(entry.key.begin, column(entry.key.begin), bound, last_scalar(entry.value));
}

std::size_t Layout::item_end(const Node& sequence, std::size_t index) const {
  const Node& item = sequence.items[index];
  if (sequence.is_flow) return flow_value_end(item);
  const std::size_t dash = dash_of(sequence, index);
  const bool is_last = index + 1 == sequence.items.size();
  const std::size_t bound = is_last ? sequence.bound : dash_of(sequence, index + 1);
  return lines_end(dash, column(dash), bound, last_scalar(item));
}

std::size_t Layout::dash_of(const Node& sequence, std::size_t index) const {
  if (index == 0) return sequence.begin;
  const std::size_t dashes = column(sequence.begin);
  // The content may begin lines below its dash.
  for (std::size_t line = line_begin(sequence.items[index].begin); line > sequence.begin;
       line = line_begin(line - 1)) {
    const std::size_t at = line + dashes;
    if (at < text_.size() && text_[at] == '-' && begins_line(at)) return at;
  }
  return sequence.items[index].begin;
}

/// Behind the last line that belongs to what begins at `begin`, in a collection at `column`.
std::size_t Layout::lines_end(std::size_t begin, std::size_t column, std::size_t bound,
                              const Node& last) const {
  std::size_t end = line_end(begin);
  const std::size_t limit = bound < text_.size() ? line_begin(bound) : text_.size();
  for (std::size_t line = end; line < limit; line = line_end(line)) {
    const std::string_view rest = text_.substr(line, line_end(line) - line);
    const std::size_t indent = rest.find_first_not_of(kSpaces);
    if (indent == std::string_view::npos || rest[indent] == '\n') continue;
    if (rest[indent] == '#' && indent <= column) continue;
    end = line_end(line);
  }
  return keeps_blank_lines(last) ? std::max(end, limit) : end;
}

/// A block of text with "+" (`key: |+`) ends with the blank lines below it.
bool Layout::keeps_blank_lines(const Node& last) const {
  if (!last.is_scalar() || last.is_alias || last.begin >= text_.size()) return false;
  const char first = text_[last.begin];
  if (first != '|' && first != '>') return false;
  return text_.substr(last.begin + 1, 2).find('+') != std::string_view::npos;
}

std::size_t Layout::behind_anchor(std::size_t begin) const {
  if (begin >= text_.size() || text_[begin] != '&') return begin;
  std::size_t at = std::min(text_.find_first_of(" \t\r\n", begin), text_.size());
  while (at < text_.size() && (is_space(text_[at]) || text_[at] == '#')) {
    at = text_[at] == '#' ? line_end(at) : at + 1;
  }
  return at;
}

bool Layout::is_open_quote(std::size_t begin) const {
  const bool is_quote = begin < text_.size() && (text_[begin] == '"' || text_[begin] == '\'');
  return is_quote && quoted_end(begin) == text_.size();
}

std::size_t Layout::quoted_end(std::size_t begin) const {
  const char quote = text_[begin];
  for (std::size_t at = begin + 1; at < text_.size(); ++at) {
    if (quote == '"' && text_[at] == '\\') {
      ++at;
    } else if (text_[at] == quote) {
      const bool is_doubled = quote == '\'' && text_.substr(at).starts_with("''");
      if (!is_doubled) return at + 1;
      ++at;
    }
  }
  return text_.size();
}

/// The bracket that closes the one at `begin`. `last`: behind the last byte before it that is
/// neither space nor comment.
std::size_t Layout::closing_bracket(std::size_t begin, std::size_t* last) const {
  int depth = 0;
  bool begins_value = true;  // only there a quote begins a scalar
  *last = begin + 1;
  for (std::size_t at = begin; at < text_.size(); ++at) {
    const char c = text_[at];
    if (is_space(c)) continue;
    if (c == '#' && at > 0 && is_space(text_[at - 1])) {
      at = line_end(at) - 1;
      continue;
    }
    if ((c == '"' || c == '\'') && begins_value) {
      at = quoted_end(at) - 1;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return at;
    }
    begins_value = c == '{' || c == '[' || c == ',' || c == ':';
    *last = at + 1;
  }
  return text_.size();
}

Layout::FlowEnd Layout::flow_end(const Node& collection) const {
  FlowEnd end;
  closing_bracket(collection.begin, &end.at);
  end.is_empty = collection.items.empty() && collection.entries.empty();
  end.has_comma = text_[end.at - 1] == ',';
  return end;
}

std::size_t Layout::flow_value_end(const Node& value) const {
  const char first = text_[value.begin];
  if (first == '{' || first == '[') {
    std::size_t ignored = 0;
    return closing_bracket(value.begin, &ignored) + 1;
  }
  if (first == '"' || first == '\'') return quoted_end(value.begin);
  std::size_t end = std::min(text_.find_first_of(",]}\n", value.begin), text_.size());
  while (end > value.begin && is_space(text_[end - 1])) --end;
  return end;
}

std::optional<Extent> Layout::value_extent(const Node& value) const {
  if (value.has_tag || value.is_alias || value.begin >= text_.size()) return std::nullopt;
  if (value.is_flow) return Extent{value.begin, flow_value_end(value)};
  if (!value.is_scalar()) return std::nullopt;
  const char first = text_[value.begin];
  if (first == '"' || first == '\'') return Extent{value.begin, quoted_end(value.begin)};
  const std::size_t size = value.text.size();
  if (text_.substr(value.begin, size) != value.text) return std::nullopt;
  return Extent{value.begin, value.begin + size};
}

}  // namespace bellows::injector
