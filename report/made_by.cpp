#include "report/made_by.hpp"

#include "report/svg_chart.hpp"

namespace bellows::report {

std::string made_by_html(const MadeBy& made) {
  if (made.command.empty()) return {};
  return "<p class=\"made\"><code>" + html_escaped(made.command) + "</code><br>Bellows " +
         html_escaped(made.version) + ", " + html_escaped(made.date) + "</p>\n";
}

}  // namespace bellows::report
