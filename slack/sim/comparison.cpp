#include "slack/sim/comparison.hpp"

#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "json/writer.hpp"
#include "report/comparison_table.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"

namespace bellows::slack::sim {

namespace {

constexpr std::array<report::Measure, 15> kColumns = {{
    {"baseline", "how room is kept"},
    {"needed", "pods that the load needed, those of lost nodes included"},
    {"at once", "share that had a node in the same second"},
    {"for node", "pods that waited for a node"},
    {"p50 s", "wait for a node, median"},
    {"p95 s", "95th percentile"},
    {"p99 s", "99th percentile"},
    {"max s", "longest wait"},
    {"requests", "share of the trace's requests whose pod had no node"},
    {"node-h", "node-hours, from the order on"},
    {"cost", "above the first row"},
    {"honoured", "share of scans after which the asked room was free"},
    {"probes", "share of pods up to the biggest that would have found room"},
    {"flapped", "nodes removed within 30 minutes after their order"},
    {"moves", "of placeholders in scans without a change"},
}};

std::string percent(double share) {
  return fixed_text(share * 100, 1) + "%";
}

std::vector<std::string> row_of(const Score& score, const Score& first) {
  const auto share = [](double part, double whole) {
    return whole > 0 ? percent(part / whole) : "-";
  };
  return {score.baseline,
          std::to_string(score.needed),
          share(static_cast<double>(score.at_once), static_cast<double>(score.needed)),
          std::to_string(score.for_node),
          std::to_string(score.p50_seconds),
          std::to_string(score.p95_seconds),
          std::to_string(score.p99_seconds),
          std::to_string(score.max_seconds),
          share(score.requests_waiting, static_cast<double>(score.requests)),
          fixed_text(score.node_hours, 1),
          percent(score.cost_above(first)),
          percent(score.honoured),
          percent(score.probes),
          std::to_string(score.flapped),
          std::to_string(score.moves_when_quiet)};
}

report::Rows rows_of(const ScenarioResult& result) {
  report::Rows rows;
  for (const Score& score : result.scores) rows.push_back(row_of(score, result.scores.front()));
  return rows;
}

std::string plot(const ScenarioResult& result, std::vector<double> Score::*values,
                 const std::string& title) {
  report::Plot drawn;
  drawn.chart.interval = std::chrono::minutes(1);
  drawn.chart.max = 1;
  for (std::size_t i = 0; i < result.scores.size(); ++i) {
    const std::vector<double>& curve = result.scores[i].*values;
    for (const double value : curve) drawn.chart.max = std::max(drawn.chart.max, value * 1.05);
    drawn.chart.curves.push_back({.css_class = report::colour(i), .values = curve});
    drawn.names.push_back(result.scores[i].baseline);
  }
  return "<p><b>" + title + "</b></p>\n" + report::plot_html(drawn);
}

}  // namespace

std::string comparison_table(const Comparison& comparison) {
  std::string out;
  for (const ScenarioResult& result : comparison.results) {
    out += result.scenario + ": " + result.about + "\n";
    for (const std::string& line : report::measure_lines(kColumns, rows_of(result)))
      out += line + "\n";
    out += "\n";
  }
  return out;
}

std::string comparison_json(const Comparison& comparison) {
  json::Writer out;
  out.integer("seed", comparison.seed).number("rate", comparison.rate).open_list("scenarios");
  for (const ScenarioResult& result : comparison.results) {
    out.open().text("scenario", result.scenario).open_list("baselines");
    for (const Score& score : result.scores) {
      out.open()
          .text("baseline", score.baseline)
          .integer("needed", score.needed)
          .integer("at-once", score.at_once)
          .integer("waited-for-node", score.for_node)
          .integer("wait-p50-seconds", score.p50_seconds)
          .integer("wait-p95-seconds", score.p95_seconds)
          .integer("wait-p99-seconds", score.p99_seconds)
          .integer("wait-max-seconds", score.max_seconds)
          .integer("requests", score.requests)
          .number("requests-waiting", score.requests_waiting)
          .number("node-hours", score.node_hours)
          .number("cost", score.cost)
          .number("honoured", score.honoured)
          .number("probes", score.probes)
          .integer("moves-when-quiet", score.moves_when_quiet)
          .integer("flapped", score.flapped)
          .integer("nodes-added", score.nodes_added)
          .integer("failures", score.failures)
          .integer("nodes-visited-max", score.nodes_visited_max)
          .close();
    }
    out.close().close();
  }
  return out.close().end_line();
}

std::string comparison_page(const Comparison& comparison) {
  std::string out =
      report::page_head("slack sim") +
      "<h1>How long do new pods wait for a node?</h1>\n<p>Rate <b>" + percent(comparison.rate) +
      "</b>, seed " + std::to_string(comparison.seed) +
      ". Every row has the same demand, the same start times of nodes and the same failures. A pod "
      "that the load needs waits until it has a node.</p>\n";
  for (const ScenarioResult& result : comparison.results) {
    out += "<h2>" + report::html_escaped(result.scenario) + "</h2>\n<p>" +
           report::html_escaped(result.about) + "</p>\n" +
           report::measure_table(kColumns, rows_of(result), result.scores.size()) +
           plot(result, &Score::waiting, "Pods without a node") +
           plot(result, &Score::nodes, "Nodes");
  }
  return out + report::page_end();
}

}  // namespace bellows::slack::sim
