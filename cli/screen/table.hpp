// Columns for people: padded, aligned, cut at nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bellows::cli {

enum class Align { kLeft, kRight };

struct Column {
  std::string_view title;
  Align align = Align::kLeft;
};

/// Width on a terminal: code points, not bytes (our texts have no wide or combining ones).
std::size_t display_width(std::string_view text);

/// One line for the titles and one per row, without newlines; every row has as many cells as there
/// are columns.
std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                     const std::vector<std::vector<std::string>>& rows);

}  // namespace bellows::cli
