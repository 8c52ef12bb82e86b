#include "report/comparison_table.hpp"

#include "report/plot.hpp"
#include "report/svg_chart.hpp"
#include "report/text_table.hpp"

namespace bellows::report {

namespace {

/// Returns the cells of the head, with the meanings as tooltips.
std::string measure_titles(std::span<const Measure> measures) {
  std::string out;
  for (const Measure& measure : measures) {
    out += "<th title=\"" + html_escaped(measure.meaning) + "\">" + html_escaped(measure.title) +
           "</th>";
  }
  return out;
}

}  // namespace

std::vector<std::string> measure_lines(std::span<const Measure> measures, const Rows& rows) {
  std::vector<Column> columns;
  for (const Measure& measure : measures) {
    columns.push_back({measure.title, columns.empty() ? Align::kLeft : Align::kRight});
  }
  return table_lines(columns, rows);
}

std::string measure_table(std::span<const Measure> measures, const Rows& rows,
                          std::size_t coloured) {
  std::string out = "<div class=\"scroll\"><table><tr>" + measure_titles(measures) + "</tr>\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += i < coloured ? "<tr>" : "<tr class=\"limit\">";
    for (std::size_t column = 0; column < rows[i].size(); ++column) {
      const bool has_dot = column == 0 && i < coloured;
      out +=
          "<td>" + (has_dot ? colour_dot(i) + " " : "") + html_escaped(rows[i][column]) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

std::string measure_list(std::span<const Measure> measures) {
  std::string out = "<h2 id=\"columns\">What the columns say</h2><dl class=\"columns\">";
  for (const Measure& measure : measures) {
    out += "<dt>" + html_escaped(measure.title) + "</dt><dd>" + html_escaped(measure.meaning) +
           "</dd>";
  }
  return out + "</dl>\n";
}

}  // namespace bellows::report
