#include "recommender/score/score_report.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/duration_text.hpp"
#include "recommender/score/score_text.hpp"
#include "report/comparison_table.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "report/svg_chart.hpp"

namespace bellows::recommender::score {

namespace {

using report::html_escaped;

constexpr double kChartWidth = 600;
constexpr double kChartHeight = 150;
/// Requests higher than this multiple of the demand are cut off, so that the rest stays visible.
constexpr double kMaxAboveDemand = 2.5;

constexpr std::string_view kStyle = R"css(
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(380px,1fr));gap:2px 20px}
@media(min-width:900px){.plots{grid-template-columns:repeat(var(--n),1fr)}}
.plots svg text{font-size:15px}
.plots h3{font-size:13px;font-weight:600;margin:10px 0 0;color:var(--soft)}.plots h3 b{color:var(--ink)}
.line.limit{stroke:var(--soft);stroke-dasharray:4 3;stroke-width:1}
.mark.oom,.key.oom{stroke:var(--oom)}.key.oom{color:var(--oom);font-weight:700}
:root{--oom:#c0182b}@media(prefers-color-scheme:dark){:root{--oom:#ff6b78}}
)css";

std::string table_html(const std::vector<PolicyResult>& entries) {
  return report::measure_table(score_columns(), rows_of(entries), entries.size());
}

std::string head_html(const Comparison& comparison, const report::MadeBy& made) {
  const SimulationSettings& world = comparison.world;
  const std::string limit =
      world.limit == LimitRule::kUpperBound
          ? "the upper bound"
          : report::three_digits_text(world.cpu_limit_ratio) + " times the request for CPU, " +
                report::three_digits_text(world.memory_limit_ratio) + " times for memory";
  const std::string apply =
      world.apply == ApplyRule::kAtOnce ? "at once and in place" : "when VPA's updater would";
  return report::page_head("recommender score", kStyle) +
         "<h1>How well do recommenders size containers?</h1>\n"
         "<p class=\"verdict\">" +
         html_escaped(score_verdict(comparison)) + ".</p>\n" + report::made_by_html(made) +
         "<p><b>" + std::to_string(comparison.results.size()) + "</b> workloads, <b>" +
         std::to_string(comparison.total.size()) + "</b> policies, seed " +
         std::to_string(comparison.seed) + ". Targets become requests " + apply +
         "; the limit is " + limit + ". Memory above it is killed, CPU above it waits.</p>\n";
}

/// Returns the cost of every policy on every workload.
std::string overview_html(const Comparison& comparison) {
  std::vector<report::Measure> columns = {{"cost J", "of each policy"}};
  for (const PolicyResult& entry : comparison.total) {
    columns.push_back({entry.policy, "* on the Pareto front of the workload"});
  }
  columns.push_back({"lowest", "the policy with the lowest cost"});
  report::Rows rows;
  const auto add = [&rows](const std::string& title, const std::vector<PolicyResult>& entries) {
    std::vector<std::string>& row = rows.emplace_back(1, title);
    const auto cells = rows_of(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      row.push_back((entries[i].is_on_front ? "* " : "") + cells[i].back());
    }
    const PolicyResult* const winner = winner_of(entries);
    row.push_back(winner == nullptr ? "several" : winner->policy);
  };
  for (const WorkloadResult& outcome : comparison.results) add(outcome.workload, outcome.entries);
  add("all, mean", comparison.total);
  return report::measure_table(columns, rows, 0) +
         "<p>Lower is better. A star is on the Pareto front: no other policy is as good in slack, "
         "OOM kills, throttling and changes, and better in one. J is slack + 0.5 OOM kills a "
         "day + 2 throttled share + 0.01 changes a day: an opinion, to be read beside the "
         "front.</p>\n";
}

double highest(const std::vector<double>& values) {
  double max = 0;
  for (const double value : values) {
    if (std::isfinite(value)) max = std::max(max, value);
  }
  return max;
}

/// Returns the common maximum of all charts of one resource of one workload, so that they can be
/// compared.
double top_of(const WorkloadResult& outcome, PlotData::Curves PlotData::*resource) {
  double used = 0;
  double requested = 0;
  for (const PolicyResult& entry : outcome.entries) {
    used = std::max(used, highest((entry.plot_data.*resource).used));
    requested = std::max(requested, highest((entry.plot_data.*resource).request));
  }
  if (used == 0) return std::max(requested, 1e-3);
  return 1.05 * std::max(used, std::min(requested, kMaxAboveDemand * used));
}

std::string chart_html(const PlotData& plot_data, const PlotData::Curves& curves, double top,
                       const std::string& colour, bool has_ooms) {
  report::Plot plot{.chart = {}, .names = {"used", "requested"}};
  report::Chart& chart = plot.chart;
  chart.width = kChartWidth;
  chart.height = kChartHeight;
  chart.max_ticks = 6;  // the chart is small, so its text is large
  chart.max = top;
  chart.interval = plot_data.interval;
  chart.curves.push_back({.css_class = "load", .values = curves.used, .is_filled = true});
  chart.curves.push_back({.css_class = colour, .values = curves.request});
  const bool is_limit_apart = curves.limit != curves.request &&
                              std::all_of(curves.limit.begin(), curves.limit.end(),
                                          [](double limit) { return std::isfinite(limit); });
  if (is_limit_apart) {
    chart.curves.push_back({.css_class = "limit", .values = curves.limit});
    plot.names.emplace_back("limit");
  }
  if (has_ooms) {
    chart.marks = plot_data.ooms;
    chart.mark_class = "oom";
  }
  return report::plot_html(plot);
}

std::string kills_text(const Score& score) {
  if (score.ooms == 0) return "";
  return ", " + std::to_string(score.ooms) + (score.ooms == 1 ? " OOM kill" : " OOM kills");
}

std::string days_text(Duration length) {
  const auto days = length / std::chrono::hours(24);
  if (length != days * std::chrono::hours(24)) return rounded_duration_text(length);
  return std::to_string(days) + (days == 1 ? " day" : " days");
}

/// Returns CPU of all policies side by side, with memory below.
std::string section_html(const WorkloadResult& outcome) {
  const std::string name = html_escaped(outcome.workload);
  std::string out = "<h2 id=\"" + name + "\">" + name + "</h2>\n<p>" + html_escaped(outcome.about) +
                    " " + days_text(outcome.length) + ".</p>\n" + table_html(outcome.entries) +
                    "<div class=\"plots\" style=\"--n:" + std::to_string(outcome.entries.size()) +
                    "\">";
  std::string memory;
  const double cpu_top = top_of(outcome, &PlotData::cpu);
  const double memory_top = top_of(outcome, &PlotData::memory);
  for (std::size_t i = 0; i < outcome.entries.size(); ++i) {
    const PolicyResult& entry = outcome.entries[i];
    const std::string policy = report::colour_dot(i) + " <b>" + html_escaped(entry.policy) + "</b>";
    out += "<div><h3>" + policy + " CPU, cores</h3>" +
           chart_html(entry.plot_data, entry.plot_data.cpu, cpu_top, report::colour(i), false) +
           "</div>";
    memory +=
        "<div><h3>" + policy + " memory, GiB" + kills_text(entry.score) + "</h3>" +
        chart_html(entry.plot_data, entry.plot_data.memory, memory_top, report::colour(i), true) +
        "</div>";
  }
  return out + memory + "</div>\n";
}

std::string legend_html() {
  return "<div class=\"legend\"><span><i class=\"dot load\"></i> used</span><span>coloured line: "
         "requested</span><span>dashed: limit, where it is another</span><span><b class=\"key "
         "oom\">&#10005;</b> OOM kill</span><span>point at a plot for its numbers</span></div>\n";
}

}  // namespace

std::string score_report(const Comparison& comparison, const report::MadeBy& made) {
  std::string out = head_html(comparison, made) + table_html(comparison.total) +
                    "<p>Of two numbers in a cell the first is for CPU, the second for memory. "
                    "<a href=\"#columns\" style=\"color:inherit\">What the columns say</a> is "
                    "at the end.</p>\n" +
                    overview_html(comparison) + legend_html();
  for (const WorkloadResult& outcome : comparison.results) out += section_html(outcome);
  return out + report::measure_list(score_columns()) + report::page_end();
}

}  // namespace bellows::recommender::score
