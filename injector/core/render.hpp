// Renders values as text: lines of YAML, or JSON on one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "injector/core/node.hpp"

namespace bellows::injector {

/// Returns `key: value` as whole lines that begin at `column`, each with `newline`. Sequences begin
/// at the column of their key, as kubectl writes them.
std::string entry_lines(std::string_view key, const Node& value, std::size_t column,
                        std::string_view newline);
/// Returns `- value`, the dash at `column`.
std::string item_lines(const Node& value, std::size_t column, std::string_view newline);
/// Returns JSON, which is valid in brackets of YAML too.
std::string json_text(const Node& value);
/// Returns the lines of `text`, which are indented by at least `from` spaces, at another
/// indentation. Blank lines stay.
std::string indented(std::string_view text, std::size_t from, std::size_t to);
/// Returns true for a number, true, false and null.
bool is_json_literal(std::string_view text);

}  // namespace bellows::injector
