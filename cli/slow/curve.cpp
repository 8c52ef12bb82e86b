#include "cli/slow/curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "autoscaler/slow/slow_json.hpp"
#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "json/object.hpp"
#include "report/svg_chart.hpp"

namespace bellows::cli {
namespace {

namespace slow = autoscaler::slow;

constexpr double kEnoughSeconds = 5;

/// The displayed values of one level.
struct Row {
  double level = 0;
  double seconds = 0;
  double p50 = 0;  // seconds; 0: no requests
  double tail = 0;
  double throughput = 0;
  std::optional<double> cpu;
  std::optional<double> memory;
  double errors = 0;
};

std::vector<Row> rows_of(const LearnedPage& page) {
  const double tail = page.spec.goal ? std::max(page.spec.goal->quantile, 0.95) : 0.95;
  std::vector<Row> rows;
  for (const slow::LevelSum& sum : page.state.table.levels()) {
    if (sum.seconds < kEnoughSeconds) continue;
    Row row{.level = sum.mean_in_flight(), .seconds = sum.seconds, .cpu = {}, .memory = {}};
    row.p50 = sum.times.quantile(0.5).value_or(0);
    row.tail = sum.times.quantile(tail).value_or(0);
    row.throughput = sum.completed / sum.seconds;
    if (sum.cpu_seconds > 0) row.cpu = sum.cpu / sum.cpu_seconds;
    if (sum.memory_seconds > 0) row.memory = sum.memory / sum.memory_seconds;
    row.errors = sum.error_share();
    rows.push_back(row);
  }
  return rows;
}

struct NamedBound {
  std::string_view name;
  slow::Bound bound;
};

std::vector<NamedBound> bounds_of(const LearnedPage& page) {
  const slow::Bounds bounds = slow::bounds_of(page.spec, page.state);
  std::vector<NamedBound> named;
  for (std::size_t i = 0; i < slow::kReasons; ++i) {
    if (bounds[i]) named.push_back({slow::to_string(static_cast<slow::Reason>(i)), *bounds[i]});
  }
  return named;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string time_text(double seconds) {
  return seconds > 0 ? rounded_duration_text(from_seconds(seconds)) : "-";
}

std::string optional_text(const std::optional<double>& value) {
  return value ? significant_text(*value, 3) : "-";
}

/// One of the stacked charts.
struct Panel {
  std::string title;
  std::vector<std::pair<double, double>> points;
  double top = 0;
};

class Picture {
 public:
  Picture(double highest, std::size_t panels) : highest_(std::max(highest * 1.15, 1.0)) {
    text_ = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 )" +
            fixed_text(kTop + kStride * static_cast<double>(panels) + 20, 0) +
            R"(" font-family="sans-serif" font-size="12">)" +
            R"(<rect width="100%" height="100%" fill="#fff"/>)" + "\n";
  }

  void text(double x, double y, std::string_view words, std::string_view colour = "#333") {
    text_ += "<text x=\"" + fixed_text(x, 1) + "\" y=\"" + fixed_text(y, 1) + "\" fill=\"" +
             std::string(colour) + "\">" + report::html_escaped(words) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, std::string_view style) {
    text_ += "<line x1=\"" + fixed_text(x1, 1) + "\" y1=\"" + fixed_text(y1, 1) + "\" x2=\"" +
             fixed_text(x2, 1) + "\" y2=\"" + fixed_text(y2, 1) + "\" " + std::string(style) +
             "/>\n";
  }

  void panel(const Panel& panel, std::size_t index, const std::vector<NamedBound>& bounds);
  std::string end() && { return std::move(text_) + "</svg>\n"; }

 private:
  static constexpr double kTop = 70;
  static constexpr double kStride = 210;
  static constexpr double kHeight = 160;
  static constexpr double kLeft = 60;
  static constexpr double kWidth = 800;

  double x_of(double level) const { return kLeft + kWidth * std::min(1.0, level / highest_); }

  double highest_;
  std::string text_;
};

void Picture::panel(const Panel& panel, std::size_t index, const std::vector<NamedBound>& bounds) {
  const double base = kTop + kStride * static_cast<double>(index) + kHeight;
  double top = panel.top;
  for (const auto& [x, y] : panel.points) top = std::max(top, y);
  if (top <= 0) top = 1;
  const auto y_of = [&](double y) { return base - kHeight * std::min(1.0, y / (1.05 * top)); };
  text(kLeft, base - kHeight - 8, panel.title, "#000");
  constexpr std::string_view kGrid = R"(stroke="#ddd")";
  const double step = report::round_step(top);
  for (double y = 0; y <= top; y += step) {
    line(kLeft, y_of(y), kLeft + kWidth, y_of(y), kGrid);
    text(8, y_of(y) + 4, significant_text(y, 6));
  }
  const double across = report::round_step(highest_);
  for (double x = 0; x <= highest_; x += across) {
    text(x_of(x) - 6, base + 16, significant_text(x, 6));
  }
  for (const NamedBound& named : bounds) {
    if (named.bound.level > highest_) continue;
    const double x = x_of(named.bound.level);
    line(x, base - kHeight, x, base, R"(stroke="#c33" stroke-dasharray="4 3")");
    if (index == 0) text(x + 3, base - kHeight + 12, named.name, "#c33");
  }
  std::string path;
  for (const auto& [x, y] : panel.points) {
    path += (path.empty() ? "M" : "L") + fixed_text(x_of(x), 1) + " " + fixed_text(y_of(y), 1);
    text_ += "<circle cx=\"" + fixed_text(x_of(x), 1) + "\" cy=\"" + fixed_text(y_of(y), 1) +
             R"(" r="3" fill="#269"/>)";
  }
  text_ += "<path d=\"" + path + R"(" fill="none" stroke="#269" stroke-width="1.5"/>)" + "\n";
}

}  // namespace

Result<LearnedPage> read_learned_page(std::string_view text) {
  BELLOWS_TRY(const json::Object root, json::parse(text));
  LearnedPage page;
  BELLOWS_TRY(page.service, root.text("service"));
  BELLOWS_TRY(page.in_use, root.number("in-use"));
  BELLOWS_TRY(const json::Object spec, root.object("spec"));
  BELLOWS_TRY(page.spec, slow::read_spec(spec));
  if (!root.has("state")) return page;
  BELLOWS_TRY(page.sentence, root.text("sentence"));
  BELLOWS_TRY(const json::Object state, root.object("state"));
  constexpr TimePoint kNow{std::chrono::hours(24 * 365 * 20)};
  BELLOWS_TRY(page.state, slow::read_state(state, kNow));
  return page;
}

std::string learned_text(const LearnedPage& page) {
  if (page.sentence.empty()) return page.service + ": nothing has been learned yet\n";
  const std::string tail = page.spec.goal && page.spec.goal->quantile > 0.95 ? "p99" : "p95";
  std::string text = page.service + ": " + page.sentence + "\n\n";
  text += "  in flight  seconds      p50      " + tail + "  requests/s    cores      MiB  errors\n";
  for (const Row& row : rows_of(page)) {
    text += padded(significant_text(row.level, 3), 11) + padded(fixed_text(row.seconds, 0), 9) +
            padded(time_text(row.p50), 9) + padded(time_text(row.tail), 9) +
            padded(significant_text(row.throughput, 3), 12) + padded(optional_text(row.cpu), 9) +
            padded(optional_text(row.memory), 9) +
            padded(fixed_text(100 * row.errors, 1) + "%", 8) + "\n";
  }
  text += "\n";
  for (const NamedBound& named : bounds_of(page)) {
    text += padded(std::string(named.name), 11) + " allows " +
            significant_text(named.bound.level, 3) +
            " in flight (sure: " + fixed_text(100 * named.bound.confidence, 0) + " %" +
            (named.bound.is_seen ? "" : ", beyond what was seen") + ")\n";
  }
  return text;
}

std::string learned_svg(const LearnedPage& page) {
  const std::vector<Row> rows = rows_of(page);
  const std::vector<NamedBound> bounds = bounds_of(page);
  Panel latency{.title = "latency of a request, p95, ms", .points = {}};
  Panel throughput{.title = "requests a second of a replica", .points = {}};
  Panel cpu{.title = "CPU of a replica, cores", .points = {}, .top = page.state.limits.cpu};
  Panel memory{.title = "memory of a replica, MiB", .points = {}, .top = page.state.limits.memory};
  double highest = 1;
  for (const Row& row : rows) {
    if (row.tail > 0) latency.points.emplace_back(row.level, 1000 * row.tail);
    throughput.points.emplace_back(row.level, row.throughput);
    if (row.cpu) cpu.points.emplace_back(row.level, *row.cpu);
    if (row.memory) memory.points.emplace_back(row.level, *row.memory);
    highest = std::max(highest, row.level);
  }
  for (const NamedBound& named : bounds) {
    if (named.bound.level < 2 * highest) highest = std::max(highest, named.bound.level);
  }
  std::vector<Panel> panels{latency, throughput};
  if (!cpu.points.empty()) panels.push_back(cpu);
  if (!memory.points.empty()) panels.push_back(memory);
  Picture picture(highest, panels.size());
  picture.text(60, 24, page.service + ": over requests in flight of a replica", "#000");
  picture.text(60, 42, page.sentence.substr(0, 130));
  for (std::size_t i = 0; i < panels.size(); ++i) picture.panel(panels[i], i, bounds);
  return std::move(picture).end();
}

}  // namespace bellows::cli
