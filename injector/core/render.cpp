#include "injector/core/render.hpp"

#include <algorithm>
#include <cctype>

#include "base/text_parts.hpp"
#include "json/yaml_lines.hpp"

namespace bellows::injector {

namespace {

bool is_word_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' ||
         c == '/' || c == ':';
}

/// Every reader of YAML takes it as this text: a letter or a slash first, then harmless bytes, and
/// none of the words for null and flags.
bool is_plain(std::string_view text) {
  if (text.empty() || text.back() == ':' || !std::ranges::all_of(text, is_word_byte)) return false;
  if (std::isalpha(static_cast<unsigned char>(text.front())) == 0 && text.front() != '/') {
    return false;
  }
  static constexpr std::string_view kWords[] = {"y",  "yes", "n",    "no",   "true",
                                                "on", "off", "null", "false"};
  return std::ranges::find(kWords, lower_case(text)) == std::end(kWords);
}

std::string scalar_text(const Node& node) {
  if (!node.is_quoted || is_plain(node.text)) return node.text;
  // JSON within quotes reads better in single ones.
  const bool has_quotes = node.text.find('"') != std::string::npos;
  const bool is_simple = node.text.find_first_of("'\\\n\r\t") == std::string::npos;
  if (has_quotes && is_simple) return "'" + node.text + "'";
  return json::quoted(node.text);
}

bool is_empty_collection(const Node& node) {
  return (node.is_map() && node.entries.empty()) || (node.is_sequence() && node.items.empty());
}

/// The lines below a key or after a dash whose content begins at `column`; the first one without
/// its indentation.
std::string map_lines(const Node& map, std::size_t column, std::string_view newline) {
  std::string lines;
  for (const Entry& entry : map.entries) {
    lines += entry_lines(entry.key.text, entry.value, column, newline);
  }
  return lines.substr(column);
}

}  // namespace

std::string entry_lines(std::string_view key, const Node& value, std::size_t column,
                        std::string_view newline) {
  const std::string indent(column, ' ');
  std::string head = indent + scalar_text(text_node(key)) + ":";
  if (is_empty_collection(value) || value.is_scalar()) {
    const std::string text = value.is_scalar() ? scalar_text(value) : json_text(value);
    return head + " " + text + std::string(newline);
  }
  head += newline;
  if (value.is_map()) {
    const std::size_t inner = column + 2;
    return head + std::string(inner, ' ') + map_lines(value, inner, newline);
  }
  for (const Node& item : value.items) head += item_lines(item, column, newline);
  return head;
}

std::string item_lines(const Node& value, std::size_t column, std::string_view newline) {
  const std::string dash = std::string(column, ' ') + "- ";
  if (value.is_map() && !value.entries.empty()) {
    return dash + map_lines(value, column + 2, newline);
  }
  const std::string text = value.is_scalar() ? scalar_text(value) : json_text(value);
  return dash + text + std::string(newline);
}

std::string json_text(const Node& value) {
  if (value.kind == Node::Kind::kNull) return "null";
  if (value.is_scalar()) {
    const bool is_literal = !value.is_quoted && is_json_literal(value.text);
    return is_literal ? value.text : json::quoted(value.text);
  }
  std::string text = value.is_map() ? "{" : "[";
  for (const Entry& entry : value.entries) {
    if (text.size() > 1) text += ", ";
    text += json::quoted(entry.key.text) + ": " + json_text(entry.value);
  }
  for (const Node& item : value.items) {
    if (text.size() > 1) text += ", ";
    text += json_text(item);
  }
  return text + (value.is_map() ? "}" : "]");
}

std::string indented(std::string_view text, std::size_t from, std::size_t to) {
  if (from == to) return std::string(text);
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    line.remove_prefix(std::min(spaces, from));
    const bool is_blank = line.find_first_not_of(" \r\n") == std::string_view::npos;
    lines += is_blank ? std::string(line) : std::string(to, ' ') + std::string(line);
  }
  return lines;
}

bool is_json_literal(std::string_view text) {
  if (text == "true" || text == "false" || text == "null") return true;
  const bool is_padded = text.size() > 1 && text.front() == '0' && text.find('.') == text.npos;
  return !text.empty() && !is_padded && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace bellows::injector
