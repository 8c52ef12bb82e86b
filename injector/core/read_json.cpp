#include "injector/core/read_json.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "json/object.hpp"

namespace bellows::injector {

namespace {

/// Builds the tree of a text that json::parse() has accepted. That reader limits the levels, and so
/// this recursion.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {}

  Node value() {
    skip_space();
    switch (text_[at_]) {
      case '{':
        return map();
      case '[':
        return sequence();
      case '"':
        return text();
      default:
        return word();
    }
  }

 private:
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size() - 1); }

  Node begun(Node::Kind kind) const {
    Node node;
    node.kind = kind;
    node.begin = at_;
    return node;
  }

  /// Goes behind the bracket that opens; true: the one that closes follows, and is behind, too.
  bool is_empty(char closing) {
    ++at_;
    skip_space();
    if (text_[at_] != closing) return false;
    ++at_;
    return true;
  }

  /// Goes behind a comma, or the closing bracket; true: it was the comma.
  bool has_more() {
    skip_space();
    return text_[at_++] == ',';
  }

  Node map() {
    Node node = begun(Node::Kind::kMap);
    node.is_flow = true;
    if (is_empty('}')) return node;
    do {
      skip_space();
      Node key = text();
      skip_space();
      ++at_;  // the colon
      node.entries.push_back({.key = std::move(key), .value = value()});
    } while (has_more());
    return node;
  }

  Node sequence() {
    Node node = begun(Node::Kind::kSequence);
    node.is_flow = true;
    if (is_empty(']')) return node;
    do {
      node.items.push_back(value());
    } while (has_more());
    return node;
  }

  Node text() {
    Node node = begun(Node::Kind::kScalar);
    node.is_quoted = true;
    bool has_escapes = false;
    for (++at_; text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\') continue;
      has_escapes = true;
      ++at_;
    }
    ++at_;
    const std::string_view quoted = text_.substr(node.begin, at_ - node.begin);
    node.text = has_escapes ? unescaped(quoted) : quoted.substr(1, quoted.size() - 2);
    return node;
  }

  static std::string unescaped(std::string_view quoted) {
    auto read = json::parse("{\"a\":" + std::string(quoted) + "}").value().text("a");
    CHECK(read.has_value(), "the reader has accepted it before");
    return *std::move(read);
  }

  Node word() {
    Node node = begun(Node::Kind::kScalar);
    at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    node.text = text_.substr(node.begin, at_ - node.begin);
    if (node.text != "null") return node;
    node.kind = Node::Kind::kNull;
    node.text.clear();
    return node;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Node> read_json(std::string_view text) {
  if (const auto checked = json::parse(text); !checked) return fail(checked.error());
  Node root = TreeBuilder(text).value();
  root.bound = text.size();
  return root;
}

}  // namespace bellows::injector
