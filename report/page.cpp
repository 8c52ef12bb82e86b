#include "report/page.hpp"

#include "report/plot.hpp"
#include "report/svg_chart.hpp"

namespace bellows::report {

std::string page_head(std::string_view title, std::string_view style) {
  return "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
         "content=\"width=device-width,initial-scale=1\"><title>" +
         html_escaped(title) + "</title><style>" + std::string(kPageStyle) + colour_style() +
         std::string(style) + "</style></head><body>\n";
}

std::string page_end() {
  return "<script>" + std::string(kPageScript) + "</script>\n</body></html>\n";
}

}  // namespace bellows::report
