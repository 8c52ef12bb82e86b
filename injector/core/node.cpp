#include "injector/core/node.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/read_number.hpp"

namespace bellows::injector {

namespace {

Node scalar(std::string text, bool is_quoted) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.is_quoted = is_quoted;
  node.text = std::move(text);
  return node;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  if (const auto index = index_of(key)) return &entries[*index].value;
  const auto found =
      std::ranges::find_if(merged, [key](const Entry& entry) { return entry.key.is_text(key); });
  return found == merged.end() ? nullptr : &found->value;
}

std::optional<std::size_t> Node::index_of(std::string_view key) const {
  const auto found =
      std::ranges::find_if(entries, [key](const Entry& entry) { return entry.key.is_text(key); });
  if (found == entries.end()) return std::nullopt;
  return static_cast<std::size_t>(found - entries.begin());
}

const Node* Node::at(std::string_view path) const {
  const Node* node = this;
  while (!path.empty() && node != nullptr) {
    const std::string_view step = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(path.size(), step.size() + 1));
    if (!node->is_sequence()) {
      node = node->find(step);
      continue;
    }
    const auto index = read_number<std::int64_t>(step);
    const bool is_there = index && *index >= 0 && *index < std::ssize(node->items);
    node = is_there ? &node->items[static_cast<std::size_t>(*index)] : nullptr;
  }
  return node;
}

std::string Node::text_at(std::string_view path) const {
  const Node* const node = at(path);
  return node != nullptr && node->is_scalar() ? node->text : std::string();
}

std::vector<const Entry*> Node::all_entries() const {
  std::vector<const Entry*> all;
  for (const Entry& entry : entries) {
    if (!is_merge(entry)) all.push_back(&entry);
  }
  for (const Entry& entry : merged) all.push_back(&entry);
  return all;
}

bool is_merge(const Entry& entry) {
  return entry.key.is_text("<<") && !entry.key.is_quoted && !entry.value.is_scalar() &&
         entry.value.kind != Node::Kind::kNull;
}

Node text_node(std::string_view text) {
  return scalar(std::string(text), true);
}

Node number_node(std::int64_t number) {
  return scalar(std::to_string(number), false);
}

Node flag_node(bool flag) {
  return scalar(flag ? "true" : "false", false);
}

Node map_node(std::vector<std::pair<std::string, Node>> entries) {
  Node node;
  node.kind = Node::Kind::kMap;
  for (auto& [key, value] : entries) {
    node.entries.push_back({.key = text_node(key), .value = std::move(value)});
  }
  return node;
}

Node list_node(std::vector<Node> items) {
  Node node;
  node.kind = Node::Kind::kSequence;
  node.items = std::move(items);
  return node;
}

bool is_json(const Node& map) {
  return map.is_flow &&
         std::ranges::all_of(map.entries, [](const Entry& entry) { return entry.key.is_quoted; });
}

std::string pointer_step(std::string_view key) {
  std::string step;
  for (const char c : key) step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return step;
}

namespace {

int base_of(std::string_view digits) {
  if (digits.size() < 2 || digits.front() != '0') return 10;
  switch (digits[1]) {
    case 'x':
    case 'X':
      return 16;
    case 'b':
    case 'B':
      return 2;
    default:
      return 8;  // 017 and 0o17
  }
}

}  // namespace

std::optional<std::int64_t> whole_number(const Node& node, std::int64_t max) {
  if (!node.is_scalar() || node.is_quoted) return std::nullopt;
  std::string digits = node.text;
  std::erase(digits, '_');
  const int base = base_of(digits);
  if (base != 10) digits.erase(0, std::isdigit(static_cast<unsigned char>(digits[1])) ? 1 : 2);
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number, base);
  const bool is_read = read.ec == std::errc() && read.ptr == end;
  return is_read && number >= 0 && number <= max ? std::optional(number) : std::nullopt;
}

}  // namespace bellows::injector
