#include "simulator/report.hpp"

#include <gtest/gtest.h>

#include "simulator/simulation.hpp"

namespace bellows::simulator {
namespace {

using namespace std::chrono_literals;

Comparison compared() {
  Workload workload;
  workload.traffic.per_minute = {10, 200, 10};
  workload.traffic.length = 3min;
  const LoadProfile profile = profile_load(workload);
  config::RevisionSettings settings;
  settings.container_concurrency = 10;
  Comparison comparison;
  comparison.trace = "/home/me/<day>.csv";
  comparison.requests = profile.requests;
  comparison.outcomes.push_back(simulate(workload, profile, settings));
  comparison.outcomes.back().policy = "bellows";
  comparison.oracle = simulate_oracle(workload, profile, settings);
  comparison.oracle.policy = "oracle";
  return comparison;
}

bool has(const std::string& page, std::string_view text) {
  return page.find(text) != std::string::npos;
}

TEST(Report, IsSelfContained) {
  const std::string page = report_html(compared());
  for (const char* outside : {"http:", "https:", "src=", "@import", "url("}) {
    EXPECT_FALSE(has(page, outside)) << outside;
  }
}

TEST(Report, NamesTheCheapestPolicyThatKeepsTheWaiting) {
  Comparison comparison = compared();
  EXPECT_FALSE(has(report_html(comparison), "Cheapest"));
  comparison.outcomes.push_back(comparison.outcomes.front());
  comparison.outcomes.back().policy = "dear";
  comparison.outcomes.back().replica_seconds += 100;
  EXPECT_TRUE(has(report_html(comparison), "<b>Cheapest that keeps the waiting: bellows, "));
}

TEST(Report, HasTheTableAndPlotsOfEachPolicyAndTheOracle) {
  const std::string page = report_html(compared());
  EXPECT_TRUE(has(page, "<h1>&lt;day&gt;.csv</h1>"));
  EXPECT_TRUE(has(page, ">wait p99.9</th>"));
  EXPECT_TRUE(has(page, "<h2>bellows</h2>"));
  EXPECT_TRUE(has(page, "<h2>oracle</h2>"));
  EXPECT_TRUE(has(page, "the load itself"));
  EXPECT_TRUE(has(page, "<path class=\"load area\""));
  EXPECT_TRUE(page.ends_with("</html>\n"));
}

TEST(Report, BeginsWithAVerdictAndSaysHowItWasMade) {
  Comparison comparison = compared();
  comparison.warm_up = 5min;
  const std::string page = report_html(
      comparison,
      {.command = "bellows simulate --trace '<day>.csv'", .version = "1.2", .date = "2026-11-23"});
  EXPECT_TRUE(has(page, "<p class=\"verdict\">bellows: waste of "));
  EXPECT_TRUE(has(
      page, "<code>bellows simulate --trace '&lt;day&gt;.csv'</code><br>Bellows 1.2, 2026-11-23"));
  EXPECT_TRUE(has(page, "The first 5m are warm-up"));
}

TEST(Report, ExplainsEachColumn) {
  const std::string page = report_html(compared());
  for (const report::Measure& column : comparison_columns()) {
    EXPECT_TRUE(has(page, "<dt>" + std::string(column.title) + "</dt>")) << column.title;
  }
}

TEST(Report, NamesTheLongestWaitAndWhenItWas) {
  Comparison comparison = compared();
  for (Interval& interval : comparison.outcomes[0].intervals) interval.worst_wait = 0s;
  comparison.outcomes[0].intervals[1].worst_wait = 7ms;
  comparison.outcomes[0].interval_length = 60s;
  EXPECT_TRUE(has(report_html(comparison), "The longest of all is <b>7.00ms</b>, at 00:01:00."));
  for (Interval& interval : comparison.outcomes[0].intervals) interval.worst_wait = 0s;
  EXPECT_TRUE(has(report_html(comparison), "<p>Nobody waits.</p>"));
}

TEST(Report, ShowsASmallLoadAndHalfASlot) {
  Comparison comparison = compared();
  comparison.mean_load = 0.0123;
  comparison.slots = 2.5;
  comparison.full_by = FullBy::kTarget;
  const std::string page = report_html(comparison);
  EXPECT_TRUE(has(page, "in service: <b>0.0123</b> on average"));
  EXPECT_TRUE(has(page, "; 2.5 requests per replica (the target; no limit). App"));
}

TEST(Report, MarksPanic) {
  Comparison comparison = compared();
  comparison.outcomes[0].intervals[1].panic = 1;
  comparison.outcomes[0].panic_seconds = 1;
  const std::string page = report_html(comparison);
  EXPECT_TRUE(has(page, "<rect class=\"panic\""));
  EXPECT_TRUE(has(page, "</i> panic</span>"));
}

TEST(Report, TheSameComparisonGivesTheSameBytes) {
  EXPECT_EQ(report_html(compared()), report_html(compared()));
  EXPECT_EQ(comparison_json(compared()), comparison_json(compared()));
}

}  // namespace
}  // namespace bellows::simulator
