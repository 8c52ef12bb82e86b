#include "report/plot.hpp"

#include <array>
#include <charconv>

#include "base/number_text.hpp"
#include "json/writer.hpp"

namespace bellows::report {

namespace {

constexpr std::size_t kColours = 8;

/// Returns JSON for a <script> element, which would end at the first "</script>" inside. JSON has
/// "<" only in strings.
std::string for_script(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

double three_digits(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::general, 3)
                       .ptr;
  std::from_chars(digits.data(), end, value);
  return value;
}

std::string three_digits_text(double value) {
  return shortest_text(three_digits(value));
}

std::string colour(std::size_t n) {
  return "c" + std::to_string(n % kColours);
}

std::string colour_dot(std::size_t n) {
  return "<i class=\"dot\" style=\"background:var(--" + colour(n) + ")\"></i>";
}

std::string colour_style() {
  std::string style;
  for (std::size_t n = 0; n < kColours; ++n) {
    const std::string name = colour(n);
    style += ".line." + name + ",.mark." + name + "{stroke:var(--" + name + ")}.area." + name +
             "{fill:var(--" + name + ")}";
  }
  return style;
}

std::string plot_html(const Plot& plot) {
  const Chart& chart = plot.chart;
  json::Writer data;
  data.member("begin", to_seconds(chart.begin))
      .member("interval", to_seconds(chart.interval))
      .member("unit", chart.unit)
      .member("left", three_digits(kChartLeft / chart.width))
      .member("right", three_digits(1 - kChartRight / chart.width))
      .open_list("curves");
  for (std::size_t i = 0; i < plot.names.size(); ++i) {
    data.open().member("name", plot.names[i]).open_list("values");
    for (const double value : chart.curves[i].values) data.number(three_digits(value));
    data.close().close();
  }
  data.close();
  return "<div class=\"plot\">" + svg(chart) +
         "<div class=\"cursor\"></div><div class=\"tooltip\"></div>"
         "<script type=\"application/json\">" +
         for_script(data.end()) + "</script></div>\n";
}

}  // namespace bellows::report
