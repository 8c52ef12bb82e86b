// Tables of text: padded, aligned, never truncated.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bellows::report {

enum class Align { kLeft, kRight };

struct Column {
  std::string_view title;
  Align align = Align::kLeft;
};

/// Returns the width on a terminal, in code points. Wide and combining characters do not occur in
/// these texts.
std::size_t display_width(std::string_view text);

/// Returns one line for the titles and one per row, without newlines. Every row has one cell per
/// column.
std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                     const std::vector<std::vector<std::string>>& rows);

}  // namespace bellows::report
