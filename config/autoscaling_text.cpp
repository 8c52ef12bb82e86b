#include "config/autoscaling_text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "base/read_number.hpp"
#include "json/writer.hpp"

namespace bellows::config {
namespace {

/// Accepts the numbers of JSON: no sign "+", no leading zero, not "inf".
bool is_number(std::string_view text) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::string_view digits = text.substr(sign);
  const bool begins = !digits.empty() && digits[0] >= '0' && digits[0] <= '9';
  const bool is_octal = digits.size() > 1 && digits[0] == '0' && digits[1] != '.';
  if (!begins || is_octal || digits.back() == '.') return false;
  return read_number<double>(text).has_value();
}

void append(const DocumentNode& node, std::string& out) {
  switch (node.kind) {
    case DocumentNode::Kind::kNothing:
      out += "null";
      return;
    case DocumentNode::Kind::kText: {
      const bool is_plain = is_number(node.text) || node.text == "true" || node.text == "false";
      is_plain ? void(out += node.text) : json::append_string(node.text, out);
      return;
    }
    case DocumentNode::Kind::kList: {
      out += '[';
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        if (i > 0) out += ',';
        append(node.items[i], out);
      }
      out += ']';
      return;
    }
    case DocumentNode::Kind::kMap:
      break;
  }
  out += '{';
  for (std::size_t i = 0; i < node.members.size(); ++i) {
    if (i > 0) out += ',';
    json::append_string(node.members[i].key, out);
    out += ':';
    append(node.members[i].value, out);
  }
  out += '}';
}

}  // namespace

std::string json_text(const DocumentNode& node) {
  std::string out;
  append(node, out);
  return out;
}

int line_of(const DocumentNode& node, std::string_view path) {
  const DocumentNode* at = &node;
  int line = node.line;
  while (!path.empty()) {
    const std::size_t end = path.find_first_of(".[");
    const std::string_view part = path.substr(0, end);
    const DocumentNode* next = nullptr;
    if (part.empty() && path[0] == '[') {
      std::size_t index = 0;
      std::from_chars(path.data() + 1, path.data() + path.size(), index);
      path.remove_prefix(std::min(path.find(']') + 1, path.size()));
      if (index < at->items.size()) next = &at->items[index];
    } else {
      for (const DocumentMember& member : at->members) {
        if (member.key != part) continue;
        line = member.line;
        next = &member.value;
      }
      path.remove_prefix(part.size());
    }
    if (path.starts_with('.')) path.remove_prefix(1);
    if (next == nullptr) return line;
    at = next;
    if (at->kind != DocumentNode::Kind::kText && at->line > 0) line = std::max(line, at->line);
  }
  return line;
}

}  // namespace bellows::config
