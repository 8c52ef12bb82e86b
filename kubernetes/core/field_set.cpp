#include "kubernetes/core/field_set.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace bellows::kubernetes {

namespace {

/// Resolves ~1 and ~0 in a step of a pointer, "/" before "~" (RFC 6901, 4).
std::string unescaped(std::string_view step) {
  std::string text;
  for (std::size_t i = 0; i < step.size(); ++i) {
    if (step[i] == '~' && i + 1 < step.size()) {
      text += step[++i] == '1' ? '/' : '~';
    } else {
      text += step[i];
    }
  }
  return text;
}

}  // namespace

FieldSet::FieldSet(std::initializer_list<std::string_view> paths) {
  for (const std::string_view path : paths) keep(path);
}

FieldSet& FieldSet::keep(std::string_view path) {
  walk(path).kind_ = Node::Kind::kWhole;
  return *this;
}

FieldSet& FieldSet::drop(std::string_view path) {
  walk(path).kind_ = Node::Kind::kDropped;
  return *this;
}

FieldSet& FieldSet::add(const FieldSet& other) {
  root_.add(other.root_);
  return *this;
}

FieldSet& FieldSet::add_below(std::string_view path, const FieldSet& other) {
  walk(path).add(other.root_);
  return *this;
}

FieldSet::Node& FieldSet::walk(std::string_view path) {
  CHECK(path.empty() || path.front() == '/', "a JSON pointer begins with a slash");
  Node* node = &root_;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto end = std::min(path.find('/'), path.size());
    node = node->child(unescaped(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return *node;
}

const FieldSet::Node* FieldSet::Node::find(std::string_view key) const {
  for (const auto& [name, node] : children_) {
    if (name == key) return node.kind_ == Kind::kDropped ? nullptr : &node;
  }
  static const Node kAll = [] {
    Node node;
    node.kind_ = Kind::kWhole;
    return node;
  }();
  return kind_ == Kind::kWhole ? &kAll : nullptr;
}

FieldSet::Node* FieldSet::Node::child(std::string_view key) {
  const auto at = std::lower_bound(
      children_.begin(), children_.end(), key,
      [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
  if (at != children_.end() && at->first == key) return &at->second;
  return &children_.emplace(at, std::string(key), Node())->second;
}

void FieldSet::Node::add(const Node& other) {
  if (other.kind_ == Kind::kWhole || kind_ == Kind::kDropped) kind_ = other.kind_;
  for (const auto& [key, node] : other.children_) child(key)->add(node);
}

}  // namespace bellows::kubernetes
