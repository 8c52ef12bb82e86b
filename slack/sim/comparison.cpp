#include "slack/sim/comparison.hpp"

#include <algorithm>
#include <array>

#include "base/number_text.hpp"
#include "json/writer.hpp"
#include "report/page.hpp"
#include "report/plot.hpp"

namespace bellows::slack::sim {

namespace {

using Row = std::vector<std::string>;

struct Column {
  std::string_view title;
  std::string_view meaning;
};

constexpr std::array<Column, 15> kColumns = {{
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

Row row_of(const Score& score, const Score& first) {
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

std::vector<Row> rows_of(const ScenarioResult& result) {
  std::vector<Row> rows;
  for (const Score& score : result.scores) rows.push_back(row_of(score, result.scores.front()));
  return rows;
}

std::string page_table(const ScenarioResult& result) {
  std::string out = "<div class=\"scroll\"><table><tr>";
  for (const Column& column : kColumns) {
    out += "<th title=\"" + report::html_escaped(column.meaning) + "\">" +
           report::html_escaped(column.title) + "</th>";
  }
  out += "</tr>\n";
  const auto rows = rows_of(result);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out += "<tr>";
    for (std::size_t column = 0; column < rows[i].size(); ++column) {
      out += "<td>" + (column == 0 ? report::colour_dot(i) + " " : "") +
             report::html_escaped(rows[i][column]) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
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
    std::vector<Row> rows = rows_of(result);
    Row titles;
    for (const Column& column : kColumns) titles.emplace_back(column.title);
    rows.insert(rows.begin(), titles);
    std::vector<std::size_t> widths(kColumns.size(), 0);
    for (const Row& row : rows) {
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const Row& row : rows) {
      out += row[0] + std::string(widths[0] - row[0].size(), ' ');
      for (std::size_t i = 1; i < row.size(); ++i)
        out += "  " + std::string(widths[i] - row[i].size(), ' ') + row[i];
      out += "\n";
    }
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
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\"><title>slack sim</title><style>" +
      std::string(report::kPageStyle) + report::colour_style() +
      "</style></head><body>\n<h1>How long do new pods wait for a node?</h1>\n<p>Rate <b>" +
      percent(comparison.rate) + "</b>, seed " + std::to_string(comparison.seed) +
      ". Every row has the same demand, the same start times of nodes and the same failures. A pod "
      "that the load needs waits until it has a node.</p>\n";
  for (const ScenarioResult& result : comparison.results) {
    out += "<h2>" + report::html_escaped(result.scenario) + "</h2>\n<p>" +
           report::html_escaped(result.about) + "</p>\n" + page_table(result) +
           plot(result, &Score::waiting, "Pods without a node") +
           plot(result, &Score::nodes, "Nodes");
  }
  return out + "<script>" + std::string(report::kPageScript) + "</script></body></html>\n";
}

}  // namespace bellows::slack::sim
