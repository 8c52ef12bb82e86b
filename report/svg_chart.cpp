#include "report/svg_chart.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace bellows::report {
namespace {

using namespace std::chrono_literals;

constexpr double kTop = 10;
constexpr double kBottom = 22;

/// Returns the number with at most one decimal.
std::string coordinate(double value) {
  const double tenths = std::round(value * 10);
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), tenths / 10).ptr;
  return {digits.data(), end};
}

/// Returns the number with as many decimals as values `step` apart need: 0.02 and 0.04.
std::string axis_number(double value, double step) {
  const int decimals = step < 1 ? static_cast<int>(std::ceil(-std::log10(step) - 1e-9)) : 0;
  std::array<char, 64> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::fixed, value == 0 ? 0 : decimals)
                       .ptr;
  return {digits.data(), end};
}

/// Maps values to coordinates of one chart.
class Plane {
 public:
  explicit Plane(const Chart& chart) : chart_(chart) {
    for (const Curve& curve : chart.curves) intervals_ = std::max(intervals_, curve.values.size());
  }
  double x(double interval) const {
    return kChartLeft +
           interval / static_cast<double>(std::max<std::size_t>(1, intervals_)) * width();
  }
  double y(double value) const {
    const double share = std::clamp(value / chart_.max, 0.0, 1.0);
    return kTop + (1 - share) * (bottom() - kTop);
  }
  double bottom() const { return chart_.height - kBottom; }
  double width() const { return chart_.width - kChartLeft - kChartRight; }
  std::size_t intervals() const { return intervals_; }
  Duration whole() const { return static_cast<Duration::rep>(intervals_) * chart_.interval; }

 private:
  const Chart& chart_;
  std::size_t intervals_ = 0;
};

std::string line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return "<line class=\"" + std::string(css_class) + "\" x1=\"" + coordinate(x1) + "\" y1=\"" +
         coordinate(y1) + "\" x2=\"" + coordinate(x2) + "\" y2=\"" + coordinate(y2) + "\"/>";
}

std::string text(double x, double y, std::string_view anchor, const std::string& content) {
  return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" +
         std::string(anchor) + "\">" + html_escaped(content) + "</text>";
}

std::string bands(const Chart& chart, const Plane& plane) {
  std::string out;
  const std::size_t count = chart.is_marked.size();
  for (std::size_t at = 0; at < count; ++at) {
    if (!chart.is_marked[at]) continue;
    std::size_t end = at;
    while (end < count && chart.is_marked[end]) ++end;
    // Marks are at least one pixel wide, so that a panic of seconds stays visible in a plot of
    // days.
    const double width =
        std::max(1.0, plane.x(static_cast<double>(end)) - plane.x(static_cast<double>(at)));
    out += "<rect class=\"panic\" x=\"" + coordinate(plane.x(static_cast<double>(at))) + "\" y=\"" +
           coordinate(kTop) + "\" width=\"" + coordinate(width) + "\" height=\"" +
           coordinate(plane.bottom() - kTop) + "\"/>";
    at = end;
  }
  return out;
}

std::string upright_axis(const Chart& chart, const Plane& plane) {
  std::string out;
  const double step = round_step(chart.max);
  for (double value = 0; value <= chart.max * 1.0001; value += step) {
    out += line(kChartLeft, plane.y(value), chart.width - kChartRight, plane.y(value), "grid");
    out += text(kChartLeft - 6, plane.y(value) + 4, "end", axis_number(value, step) + chart.unit);
  }
  return out;
}

std::string time_axis(const Chart& chart, const Plane& plane) {
  std::string out;
  if (plane.whole() == Duration::zero()) return out;
  const Duration step = round_step(plane.whole(), chart.max_ticks);
  const bool with_seconds = step % 1min != Duration::zero();
  // Ticks are at round times of the trace, even if the trace begins at another time.
  for (Duration at = (chart.begin + step - 1ns) / step * step; at < chart.begin + plane.whole();
       at += step) {
    const double x = plane.x(to_seconds(at - chart.begin) / to_seconds(chart.interval));
    out += line(x, plane.bottom(), x, plane.bottom() + 4, "tick");
    out += text(x, chart.height - 6, "middle", clock_text(at, with_seconds));
  }
  return out;
}

/// Returns relative horizontal and vertical moves; equal neighbours share a step.
std::string path(const Curve& curve, const Plane& plane) {
  if (curve.values.empty()) return {};
  std::string d = "M" + coordinate(plane.x(0)) + " ";
  d += curve.is_filled ? coordinate(plane.bottom()) + "V" : "";
  d += coordinate(plane.y(curve.values.front()));
  for (std::size_t at = 0; at < curve.values.size(); ++at) {
    const bool is_last = at + 1 == curve.values.size();
    const std::string here = coordinate(plane.y(curve.values[at]));
    const std::string next = is_last ? "" : coordinate(plane.y(curve.values[at + 1]));
    if (here == next) continue;
    d += "H" + coordinate(plane.x(static_cast<double>(at + 1)));
    if (!is_last) d += "V" + next;
  }
  if (curve.is_filled) d += "V" + coordinate(plane.bottom()) + "Z";
  return "<path class=\"" + curve.css_class + (curve.is_filled ? " area" : " line") + "\" d=\"" +
         d + "\"/>";
}

/// Returns crosses at the top, so that they do not overlap the curves.
std::string crosses(const Chart& chart, const Plane& plane) {
  constexpr double kArm = 3.5;
  std::string d;
  for (const std::size_t at : chart.marks) {
    const double x = plane.x(static_cast<double>(at) + 0.5);
    d += "M" + coordinate(x - kArm) + " " + coordinate(kTop - kArm) + "l7 7m0-7l-7 7";
  }
  if (d.empty()) return d;
  return "<path class=\"mark " + chart.mark_class + "\" d=\"" + d + "\"/>";
}

}  // namespace

double round_step(double max) {
  const double rough = max / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power * 1.0001) return factor * power;
  }
  return 10 * power;
}

Duration round_step(Duration whole, int max) {
  static constexpr std::array<Duration, 15> kRound = {1s,    5s, 10s, 30s, 1min, 2min, 5min, 10min,
                                                      30min, 1h, 2h,  3h,  6h,   12h,  24h};
  for (const Duration step : kRound) {
    if (whole / step <= max) return step;
  }
  return std::chrono::ceil<std::chrono::days>(whole / max);
}

std::string clock_text(Duration since_begin, bool with_seconds) {
  const auto day = since_begin / 24h;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_begin % 24h).count();
  std::array<char, 48> out{};
  int used = 0;
  if (day > 0) used = std::snprintf(out.data(), out.size(), "%dd ", static_cast<int>(day));
  used += std::snprintf(out.data() + used, out.size() - static_cast<std::size_t>(used), "%02d:%02d",
                        static_cast<int>(seconds / 3600), static_cast<int>(seconds / 60 % 60));
  if (with_seconds) {
    std::snprintf(out.data() + used, out.size() - static_cast<std::size_t>(used), ":%02d",
                  static_cast<int>(seconds % 60));
  }
  return out.data();
}

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string svg(const Chart& chart) {
  const Plane plane(chart);
  std::string out = "<svg viewBox=\"0 0 " + coordinate(chart.width) + " " +
                    coordinate(chart.height) + "\" role=\"img\">";
  out += bands(chart, plane) + upright_axis(chart, plane) + time_axis(chart, plane);
  for (const Curve& curve : chart.curves) out += path(curve, plane);
  return out + crosses(chart, plane) + "</svg>\n";
}

}  // namespace bellows::report
