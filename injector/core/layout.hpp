// Where the parts of a document end in its text. The tree knows where values begin; this finds the
// lines, or the bytes between brackets, that belong to them, so that the rest can stay as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "injector/core/node.hpp"

namespace bellows::injector {

/// From `begin` up to `end`, which is not part of it.
struct Extent {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The text of one document, which ends with a line break. Lives as long as the text.
class Layout {
 public:
  explicit Layout(std::string_view text);

  std::string_view text() const { return text_; }
  /// "\n", or "\r\n" if the first line ends so.
  std::string_view newline() const { return newline_; }

  std::size_t line_begin(std::size_t at) const;
  /// Behind the line break.
  std::size_t line_end(std::size_t at) const;
  std::size_t column(std::size_t at) const { return at - line_begin(at); }

  /// Where the entry ends that has the place `index` among those of `map`. In lines: behind its
  /// last one; comments that are indented less than its content belong to what follows. In
  /// brackets: behind the last byte of its value.
  std::size_t entry_end(const Node& map, std::size_t index) const;
  std::size_t item_end(const Node& sequence, std::size_t index) const;
  /// Where the dash of an item of a sequence in lines stands.
  std::size_t dash_of(const Node& sequence, std::size_t index) const;
  /// Where a collection in brackets takes one more: behind its last byte that is neither space nor
  /// comment.
  struct FlowEnd {
    std::size_t at = 0;
    bool is_empty = false;
    bool has_comma = false;  ///< behind its last value, which YAML allows
  };
  FlowEnd flow_end(const Node& collection) const;

  /// The bytes of a scalar with its quotes, or of a collection with its brackets; nullopt if a
  /// scalar does not stand in the text as it was read (over several lines, say), and for lines.
  std::optional<Extent> value_extent(const Node& value) const;
  /// True if there is a quote at `begin` that is never closed.
  bool is_open_quote(std::size_t begin) const;
  /// True if nothing but spaces stands before `at` on its line.
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
