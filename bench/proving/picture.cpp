#include <algorithm>
#include <array>
#include <cmath>

#include "bench/proving/summary.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "report/svg_chart.hpp"

namespace bellows::proving {
namespace {

constexpr double kWidth = 900;
constexpr double kHeight = 620;
constexpr double kLeft = 56;
constexpr double kRight = 16;
constexpr double kTop = 16;
constexpr double kBottom = 44;
/// Both ratios are drawn from a tenth to ten, by their logarithms; what lies outside is put on the
/// edge.
constexpr double kLowest = 0.1;
constexpr double kMax = 10;

constexpr std::string_view kStyle = R"css(
.equal{stroke:var(--soft);stroke-dasharray:5 4}.point{stroke:var(--paper);stroke-width:.7;opacity:.85}
)css";

double along(double ratio) {
  return std::log(std::clamp(ratio, kLowest, kMax) / kLowest) / std::log(kMax / kLowest);
}
double x(double waste) {
  return kLeft + along(waste) * (kWidth - kLeft - kRight);
}
double y(double wait) {
  return kHeight - kBottom - along(wait) * (kHeight - kTop - kBottom);
}

std::string line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return "<line class=\"" + std::string(css_class) + "\" x1=\"" + report::three_digits_text(x1) +
         "\" y1=\"" + report::three_digits_text(y1) + "\" x2=\"" + report::three_digits_text(x2) +
         "\" y2=\"" + report::three_digits_text(y2) + "\"/>";
}

std::string text(double at_x, double at_y, std::string_view anchor, std::string_view words) {
  return "<text x=\"" + report::three_digits_text(at_x) + "\" y=\"" +
         report::three_digits_text(at_y) + "\" text-anchor=\"" + std::string(anchor) + "\">" +
         std::string(words) + "</text>";
}

std::string axes() {
  std::string out;
  for (const double tick : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    const std::string_view css_class = tick == 1 ? "equal" : "grid";
    out += line(x(tick), kTop, x(tick), kHeight - kBottom, css_class);
    out += line(kLeft, y(tick), kWidth - kRight, y(tick), css_class);
    out += text(x(tick), kHeight - kBottom + 16, "middle", report::three_digits_text(tick));
    out += text(kLeft - 6, y(tick) + 4, "end", report::three_digits_text(tick));
  }
  return out + text(kWidth - kRight, kHeight - 8, "end", "waste, of knative's") +
         text(kLeft + 6, kTop + 12, "start", "waiting time (p99 or mean), of knative's");
}

std::string point(const Report& report, const Match& match) {
  const Verdict verdict = judge(match);
  const std::string title = std::string(to_string(match.scenario.kind)) + ": " +
                            match.scenario.about + "; wait " +
                            report::three_digits_text(verdict.wait) + ", waste " +
                            report::three_digits_text(verdict.waste) + "; " + report.command +
                            " --scenario " + std::to_string(match.scenario.number);
  return "<circle class=\"point\" cx=\"" + report::three_digits_text(x(verdict.waste)) +
         "\" cy=\"" + report::three_digits_text(y(verdict.wait)) + "\" r=\"4\" fill=\"var(--" +
         report::colour(static_cast<std::size_t>(match.scenario.kind)) + ")\"><title>" +
         report::html_escaped(title) + "</title></circle>\n";
}

std::string legend() {
  std::string out = "<div class=\"legend\">";
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    out += "<span>" + report::colour_dot(kind) + " " +
           std::string(to_string(static_cast<Kind>(kind))) + "</span>";
  }
  return out + "</div>\n";
}

}  // namespace

std::string picture_html(const Report& report) {
  std::string points;
  for (const Match& match : report.matches) points += point(report, match);
  return report::page_head("proving ground", kStyle) + "<h1>bellows beside knative on " +
         std::to_string(report.matches.size()) + " scenarios</h1>\n<p>Seed <b>" +
         std::to_string(report.seed) +
         "</b>. Each point is a scenario; to the left of 1 it wastes less than knative, below 1 "
         "its requests wait less. Differences of waiting time up to 10 ms count as equal. Point at "
         "one for what it is.</p>\n" +
         legend() + "<svg viewBox=\"0 0 " + report::three_digits_text(kWidth) + " " +
         report::three_digits_text(kHeight) + "\" role=\"img\">" + axes() + points +
         "</svg>\n<div class=\"scroll\"><pre>" + report::html_escaped(summary_text(report)) +
         "</pre></div>\n</body></html>\n";
}

}  // namespace bellows::proving
