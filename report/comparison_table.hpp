// The table of a comparison, a row for each compared thing: for a page and for a terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bellows::report {

/// A column: its title, and what its numbers say.
struct Measure {
  std::string_view title;
  std::string_view meaning;
};

/// A cell for each measure; the first is the name of what the row is about.
using Rows = std::vector<std::vector<std::string>>;

/// Returns a line for the titles and one for each row, without newlines: names are aligned left,
/// numbers right.
std::vector<std::string> measure_lines(std::span<const Measure> measures, const Rows& rows);

/// Returns the table of a page. The first `coloured` rows have a dot of their colour, the others
/// are set apart as limits.
std::string measure_table(std::span<const Measure> measures, const Rows& rows,
                          std::size_t coloured);

/// Returns the section "What the columns say" of a page, with the anchor "columns".
std::string measure_list(std::span<const Measure> measures);

}  // namespace bellows::report
