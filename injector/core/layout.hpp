// Finds where the parts of a document end in its text. The tree has the beginnings of values; this
// finds the lines, or the bytes between brackets, that belong to them, so that the rest stays
// unchanged.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "injector/core/node.hpp"

namespace bellows::injector {

/// A range from `begin` up to and without `end`.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The text of one document, which ends with a line break. It is valid as long as the text.
class Layout {
 public:
  explicit Layout(std::string_view text);

  std::string_view text() const { return text_; }
  /// Returns "\n", or "\r\n" if the first line ends with it.
  std::string_view newline() const { return newline_; }

  std::size_t line_begin(std::size_t at) const;
  /// Returns the position after the line break.
  std::size_t line_end(std::size_t at) const;
  std::size_t column(std::size_t at) const { return at - line_begin(at); }

  /// Returns the end of the entry at `index` in `map`. In block style it is after the entry's last
  /// line; comments that are indented less than its content belong to the next part. In brackets it
  /// is after the last byte of its value.
  std::size_t entry_end(const Node& map, std::size_t index) const;
  std::size_t item_end(const Node& sequence, std::size_t index) const;
  /// Returns the position of an item's dash in a block sequence.
  std::size_t dash_of(const Node& sequence, std::size_t index) const;
  /// Position at which a collection in brackets can be extended: after its last byte that is
  /// neither space nor comment.
  struct FlowEnd {
    std::size_t at = 0;
    bool is_empty = false;
    bool has_comma = false;  ///< after its last value, which YAML allows
  };
  FlowEnd flow_end(const Node& collection) const;

  /// Returns the bytes of a scalar with its quotes, or of a collection with its brackets. Returns
  /// nullopt if the text of a scalar differs from its value (over several lines, for example), and
  /// for block collections.
  std::optional<Extent> value_extent(const Node& value) const;
  /// Returns the position of the value that follows the anchor at `begin`; `begin` if there is
  /// none.
  std::size_t behind_anchor(std::size_t begin) const;
  /// Returns true if a quote at `begin` is never closed.
  bool is_open_quote(std::size_t begin) const;
  /// Returns true if only spaces precede `at` on its line.
  bool begins_line(std::size_t at) const;

 private:
  std::size_t lines_end(std::size_t begin, std::size_t column, std::size_t bound,
                        const Node& last) const;
  std::size_t flow_value_end(const Node& value) const;
  std::size_t quoted_end(std::size_t begin) const;
  std::size_t closing_bracket(std::size_t begin, std::size_t* last) const;
  bool keeps_blank_lines(const Node& last) const;

  std::string_view text_;
  std::string_view newline_;
};

}  // namespace bellows::injector
