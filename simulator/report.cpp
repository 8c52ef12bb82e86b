#include "simulator/report.hpp"

#include <algorithm>
#include <vector>

#include "base/duration_text.hpp"
#include "base/number_text.hpp"
#include "report/comparison_table.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"
#include "simulator/verdict.hpp"

namespace bellows::simulator {
namespace {

using report::Chart;
using report::colour;
using report::html_escaped;
using report::Plot;
using report::plot_html;

constexpr std::size_t kOracleColour = 6;
constexpr double kReplicasHeight = 220;
constexpr double kWaitsHeight = 120;

template <class Pick>
std::vector<double> values_of(const Outcome& outcome, Pick pick) {
  std::vector<double> values;
  values.reserve(outcome.intervals.size());
  for (const Interval& interval : outcome.intervals) values.push_back(pick(interval));
  return values;
}
std::vector<double> loads(const Outcome& outcome) {
  return values_of(outcome, [](const Interval& interval) { return interval.offered; });
}
std::vector<double> replicas(const Outcome& outcome) {
  return values_of(outcome, [](const Interval& interval) { return interval.used; });
}
std::vector<double> waits(const Outcome& outcome) {
  return values_of(outcome, [](const Interval& interval) { return to_seconds(interval.p99_wait); });
}
std::vector<double> longest_waits(const Outcome& outcome) {
  return values_of(outcome,
                   [](const Interval& interval) { return to_seconds(interval.worst_wait); });
}

/// All charts of a page share the same scales, so that they can be compared.
class Page {
 public:
  Page(const Comparison& comparison, const report::MadeBy& made)
      : comparison_(comparison), made_(made) {
    for (const Outcome& outcome : all()) {
      for (const Interval& interval : outcome.intervals) {
        max_replicas_ = std::max({max_replicas_, interval.used, interval.offered});
        max_wait_ = std::max(max_wait_, to_seconds(interval.worst_wait));
      }
    }
  }

  std::string html() const {
    std::string out = head() + table() + overview();
    for (std::size_t i = 0; i < comparison_.outcomes.size(); ++i) {
      out += section(comparison_.outcomes[i], colour(i));
    }
    out += section(comparison_.oracle, colour(kOracleColour)) +
           report::measure_list(comparison_columns());
    return out + report::page_end();
  }

 private:
  std::vector<Outcome> all() const {
    std::vector<Outcome> outcomes = comparison_.outcomes;
    outcomes.push_back(comparison_.oracle);
    return outcomes;
  }

  Chart chart_of(const Outcome& outcome, double height, double max) const {
    Chart chart;
    chart.height = height;
    chart.max = max;
    chart.begin = comparison_.begin;
    chart.interval = outcome.interval_length;
    return chart;
  }

  std::string head() const;
  std::string table() const;
  std::string overview() const;
  std::string waits_of(const Outcome& outcome, const std::string& css) const;
  std::string section(const Outcome& outcome, const std::string& css) const;

  const Comparison& comparison_;
  const report::MadeBy& made_;
  double max_replicas_ = 1;
  double max_wait_ = 0;
};

std::string Page::head() const {
  // Only the name of the file: its folder means nothing to the reader of the page.
  const std::string trace = comparison_.trace.substr(comparison_.trace.rfind('/') + 1);
  const std::string cheapest = cheapest_text(comparison_);
  std::string out =
      report::page_head("bellows simulate: " + trace) + "<h1>" + html_escaped(trace) +
      "</h1>\n<p class=\"verdict\">" + html_escaped(verdict(comparison_)) + ".</p>\n" +
      (cheapest.empty() ? "" : "<p><b>" + html_escaped(cheapest) + ".</b></p>\n") +
      report::made_by_html(made_) + "<p><b>" + grouped(static_cast<double>(comparison_.requests)) +
      "</b> requests in <b>" + duration_text(comparison_.oracle.length) + "</b>; in service: <b>" +
      load_text(comparison_.mean_load) + "</b> on average, <b>" + grouped(comparison_.max_load) +
      "</b> at most; " + capacity_text(comparison_.full_by, comparison_.slots) +
      ". App: " + html_escaped(comparison_.app) + ". Seed " + std::to_string(comparison_.seed);
  if (comparison_.scale != 1) out += ", load factor " + shortest_text(comparison_.scale);
  if (comparison_.dispersion != 1) {
    out += ", dispersion " + shortest_text(comparison_.dispersion);
  }
  out += ".";
  if (comparison_.warm_up > Duration::zero()) {
    out += " The first " + duration_text(comparison_.warm_up) +
           " are warm-up: simulated but not counted.";
  }
  return out + "</p>\n";
}

std::string Page::table() const {
  return report::measure_table(comparison_columns(), comparison_rows(comparison_),
                               comparison_.outcomes.size()) +
         "<p>Lower is better in every column but the load's. A <b>wait</b> is the "
         "time from the arrival of a request to the start of its service. <a href=\"#columns\" "
         "style=\"color:inherit\">What the columns say</a> is at the end.</p>\n";
}

std::string Page::overview() const {
  const Outcome& any = comparison_.oracle;
  Plot plot{.chart = chart_of(any, kReplicasHeight + 60, max_replicas_), .names = {"load"}};
  plot.chart.curves.push_back({.css_class = "load", .values = loads(any), .is_filled = true});
  std::string legend = "<span><i class=\"dot load\"></i> load, in replicas</span>";
  for (std::size_t i = 0; i < comparison_.outcomes.size(); ++i) {
    const Outcome& outcome = comparison_.outcomes[i];
    plot.chart.curves.push_back({.css_class = colour(i), .values = replicas(outcome)});
    plot.names.push_back(outcome.policy);
    legend += "<span><i class=\"dot\" style=\"background:var(--" + colour(i) + ")\"></i> " +
              html_escaped(outcome.policy) + "</span>";
  }
  return "<h2>Replicas of all policies</h2>\n<div class=\"legend\">" + legend + "</div>\n" +
         plot_html(plot);
}

std::string Page::section(const Outcome& outcome, const std::string& css) const {
  Plot plot{.chart = chart_of(outcome, kReplicasHeight, max_replicas_),
            .names = {"load", "replicas"}};
  plot.chart.curves.push_back({.css_class = "load", .values = loads(outcome), .is_filled = true});
  plot.chart.curves.push_back({.css_class = css, .values = replicas(outcome)});
  for (const Interval& interval : outcome.intervals) {
    plot.chart.is_marked.push_back(interval.panic > 0);
  }
  std::string out =
      "<h2>" + html_escaped(outcome.policy) + "</h2>\n<p>" + grouped(outcome.replica_seconds) +
      " replica-seconds, " + grouped(outcome.waste()) + " of them beyond the load; maximum " +
      grouped(outcome.max_replicas) + " replicas; " + grouped(static_cast<double>(outcome.starts)) +
      " starts.</p>\n" +
      "<div class=\"legend\"><span><i class=\"dot load\"></i> load, in replicas</span>"
      "<span><i class=\"dot\" style=\"background:var(--" +
      css + ")\"></i> replicas</span>";
  if (outcome.panic_seconds > 0) out += "<span><i class=\"dot panic\"></i> panic</span>";
  return out + "</div>\n" + plot_html(plot) + waits_of(outcome, css);
}

/// Draws the longest wait as a line, so that a peak of one interval is visible in a plot of days.
std::string Page::waits_of(const Outcome& outcome, const std::string& css) const {
  const auto longest = std::ranges::max_element(outcome.intervals, {}, &Interval::worst_wait);
  if (longest == outcome.intervals.end() || longest->worst_wait == Duration::zero()) {
    return "<p>Nobody waits.</p>\n";
  }
  Plot wait{.chart = chart_of(outcome, kWaitsHeight, max_wait_), .names = {"longest wait", "p99"}};
  wait.chart.unit = "s";
  wait.chart.curves.push_back({.css_class = css, .values = longest_waits(outcome)});
  wait.chart.curves.push_back({.css_class = css, .values = waits(outcome), .is_filled = true});
  const Duration at =
      comparison_.begin + (longest - outcome.intervals.begin()) * outcome.interval_length;
  return "<p>Waits in each " + duration_text(outcome.interval_length) +
         ": the line is the longest, the area the 99th percentile. The longest of all is <b>" +
         rounded_duration_text(longest->worst_wait) + "</b>, at " + report::clock_text(at, true) +
         ".</p>\n" + plot_html(wait);
}

}  // namespace

std::string report_html(const Comparison& comparison, const report::MadeBy& made) {
  return Page(comparison, made).html();
}

}  // namespace bellows::simulator
