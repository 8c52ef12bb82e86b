// Writes YAML in blocks, as kubectl does: objects of Kubernetes that a person reads or applies.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"

namespace bellows::json {

/// Writes lines, each at the depth of the open block. A list begins at the column of its key.
class YamlLines {
 public:
  explicit YamlLines(std::size_t depth = 0) : depth_(depth) {}

  /// Begins a map; close() ends it.
  YamlLines& open(std::string_view key);
  /// Begins an element of a list with the key that was written as a line before: a map whose first
  /// member is `first`, a whole line without its indentation; close() ends it.
  YamlLines& item(std::string_view first);
  YamlLines& close();

  /// Writes a member; `value` must be a plain scalar.
  YamlLines& plain(std::string_view key, std::string_view value);
  YamlLines& text(std::string_view key, std::string_view value) {
    return plain(key, json::quoted(value));
  }
  YamlLines& texts(std::string_view key, const std::vector<std::string>& values);
  YamlLines& line(std::string_view text);

  std::string end();

 private:
  std::string text_;
  std::size_t depth_;  // of two blanks each
};

}  // namespace bellows::json
