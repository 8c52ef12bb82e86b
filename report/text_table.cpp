#include "report/text_table.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace bellows::report {

namespace {

constexpr std::string_view kGap = "  ";

std::string padded(std::string_view text, std::size_t width, Align align) {
  const std::size_t used = display_width(text);
  const std::string space(width > used ? width - used : 0, ' ');
  return align == Align::kLeft ? std::string(text) + space : space + std::string(text);
}

std::string line_of(const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
                    const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) line += kGap;
    line += padded(cells[i], widths[i], columns[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // not a UTF-8 continuation byte
  }));
}

std::vector<std::string> table_lines(const std::vector<Column>& columns,
                                     const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  std::vector<std::size_t> widths;
  for (const Column& column : columns) {
    titles.emplace_back(column.title);
    widths.push_back(display_width(column.title));
  }
  for (const auto& row : rows) {
    CHECK(row.size() == columns.size(), "a row has one cell per column");
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::vector<std::string> lines = {line_of(columns, widths, titles)};
  for (const auto& row : rows) lines.push_back(line_of(columns, widths, row));
  return lines;
}

}  // namespace bellows::report
