#include "bench/slow/bars.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace bellows::slow_table {
namespace {

constexpr double kMissed = 0.01;
constexpr double kMedianCost = 1.15;
constexpr double kWorstCost = 1.3;
constexpr double kNear = 0.2;
/// A second more or less is chance, not worse.
constexpr double kChance = 0.001;

std::string percent(double share) {
  return fixed_text(100 * share, 1) + " %";
}

/// "1.04, 0.3 %": replica-seconds beside the oracle's, and seconds that missed the goal.
std::string cell(const Result& result, const Row& row) {
  const double ratio = result.replica_seconds / row.oracle.result.replica_seconds;
  std::string text = fixed_text(ratio, 2) + ", " + percent(result.missed);
  if (result.kills > 0) text += ", " + std::to_string(result.kills) + " kills";
  return " " + text + " |";
}

}  // namespace

std::vector<std::string> broken_bars(const Row& row) {
  std::vector<std::string> broken;
  if (row.cost() > kWorstCost) broken.push_back("cost " + fixed_text(row.cost(), 2));
  if (row.can_keep_goal() && row.ours.missed > kMissed) {
    broken.push_back("missed " + percent(row.ours.missed));
  }
  if (row.ours.missed > row.fixed_100.missed + kChance) broken.emplace_back("worse than fixed 100");
  if (row.ours.kills > 1) broken.push_back(std::to_string(row.ours.kills) + " kills");
  if (row.can_keep_goal() && std::abs(row.settled - 1) > kNear) {
    broken.push_back("settled at x" + fixed_text(row.settled, 2));
  }
  if (row.followed > 0 && std::abs(row.followed - 1) > kNear) {
    broken.push_back("followed to x" + fixed_text(row.followed, 2));
  }
  return broken;
}

std::string table_of(const std::vector<Row>& rows) {
  std::string text =
      "| app, load | best fixed | its cost, missed | slow brain | without goal | 1 | 10 | 100 | "
      "Knative | HPA | Envoy | Gradient2 | broken bars |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (const Row& row : rows) {
    text += "| " + row.name + " | " + fixed_text(row.oracle.target, 1) + " | " +
            fixed_text(row.oracle.result.replica_seconds, 0) + " s, " +
            percent(row.oracle.result.missed) + " |";
    for (const Result* result :
         {&row.ours, &row.without_goal, &row.fixed_1, &row.fixed_10, &row.fixed_100, &row.knative,
          &row.hpa, &row.envoy, &row.gradient2}) {
      text += cell(*result, row);
    }
    std::string broken;
    for (const std::string& bar : broken_bars(row)) broken += (broken.empty() ? "" : "; ") + bar;
    text += " " + (broken.empty() ? "-" : broken) + " |\n";
  }
  return text;
}

std::string summary_of(const std::vector<Row>& rows) {
  std::vector<double> costs;
  std::size_t whole = 0;
  for (const Row& row : rows) {
    costs.push_back(row.cost());
    if (broken_bars(row).empty()) ++whole;
  }
  if (costs.empty()) return "";
  std::sort(costs.begin(), costs.end());
  const double median = costs[costs.size() / 2];
  return "replica-seconds / best fixed target as good: median " + fixed_text(median, 2) + " (bar " +
         fixed_text(kMedianCost, 2) + "), highest " + fixed_text(costs.back(), 2) + " (bar " +
         fixed_text(kWorstCost, 2) + "); rows without a broken bar: " + std::to_string(whole) +
         " of " + std::to_string(rows.size()) + "\n";
}

}  // namespace bellows::slow_table
