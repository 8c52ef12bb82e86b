#include "recommender/score/comparison.hpp"

#include <gtest/gtest.h>

#include "recommender/score/generator.hpp"
#include "recommender/score/score_report.hpp"
#include "recommender/score/score_text.hpp"
#include "tests/unit/recommender/score/made_up.hpp"

namespace bellows::recommender::score {
namespace {

using namespace std::chrono_literals;

std::vector<Contender> contenders() {
  std::vector<Contender> all;
  for (const std::string_view name : {"vpa", "spike", "hybrid:hybrid-window=6h"}) {
    all.push_back(*parse_contender(name, {}));
  }
  return all;
}

Comparison compared() {
  std::vector<Workload> workloads = {*generate("crash-loop", 1)};
  workloads[0].by_time.resize(960);
  workloads[0].lifetimes = {{0, 960}};
  workloads.push_back(constant(1min, 90, {1, 300 * kMiB}, request(500, 200)));
  return compare(workloads, contenders(), {}, [](std::size_t, std::size_t) {});
}

TEST(Contender, TakesSettingsAfterAColonWithOrWithoutThePolicysName) {
  const auto contender =
      parse_contender("hybrid:hysteresis=0.25:hybrid-window=6h", {config::flag("policy", "vpa")});
  ASSERT_TRUE(contender.has_value()) << to_string(contender.error());
  EXPECT_EQ(contender->name, "hybrid:hysteresis=0.25:hybrid-window=6h");
  EXPECT_EQ(contender->settings->settings.policy, config::RecommenderPolicy::kHybrid);
  EXPECT_EQ(contender->settings->settings.hybrid.hysteresis, 0.25);
  EXPECT_EQ(contender->settings->settings.hybrid.window, 6h);
}

TEST(Contender, AnUnknownPolicyOrSettingIsAnErrorThatNamesBoth) {
  EXPECT_NE(to_string(parse_contender("vertical", {}).error()).find("--policy vertical: "),
            std::string::npos);
  const std::string unknown = to_string(parse_contender("vpa:margin=1", {}).error());
  EXPECT_NE(unknown.find("--policy vpa:margin=1: --margin: "), std::string::npos) << unknown;
  EXPECT_EQ(to_string(parse_contender("vpa:margin", {}).error()),
            "--policy vpa:margin: \"margin\": want SETTING=VALUE behind the colon");
}

TEST(Comparison, TheSameWorkloadsGiveTheSameBytes) {
  const Comparison first = compared();
  const Comparison second = compared();
  EXPECT_EQ(score_table(first), score_table(second));
  EXPECT_EQ(score_json(first), score_json(second));
  EXPECT_EQ(score_report(first), score_report(second));
}

TEST(Comparison, HasEveryPolicyOnEveryWorkloadAndSomeoneOnEachFront) {
  std::size_t progress_calls = 0;
  const std::vector<Workload> workloads = {constant(1min, 30, {1, 300 * kMiB}, request(500, 200))};
  const Comparison comparison =
      compare(workloads, contenders(), {}, [&](std::size_t done, std::size_t all) {
        EXPECT_EQ(done, ++progress_calls);
        EXPECT_EQ(all, 3U);
      });
  ASSERT_EQ(comparison.results.size(), 1U);
  ASSERT_EQ(comparison.results[0].entries.size(), 3U);
  EXPECT_EQ(comparison.total.size(), 3U);
  bool has_front = false;
  for (const PolicyResult& entry : comparison.results[0].entries) {
    has_front = has_front || entry.is_on_front;
    EXPECT_GT(entry.score.ooms, 0U) << "all begin with too little";
  }
  EXPECT_TRUE(has_front);
}

TEST(Comparison, HybridIsKilledNoMoreThanTheOthersByAWeeklyJob) {
  std::vector<Contender> all;
  for (const std::string_view name : {"vpa", "spike", "hybrid"}) {
    all.push_back(*parse_contender(name, {}));
  }
  const Comparison comparison = compare({*generate("job-168h", 1)}, all, {}, [](auto, auto) {});
  const auto& entries = comparison.results[0].entries;
  const auto kills = [&](std::size_t policy) { return entries[policy].score.ooms; };
  EXPECT_LE(kills(2), kills(0));
  EXPECT_LE(kills(2), kills(1));
}

TEST(Comparison, RegretIsTheCostBeyondTheOracles) {
  const WorkloadResult outcome = compared().results[1];
  for (const PolicyResult& entry : outcome.entries) {
    EXPECT_GT(entry.regret_next, 0) << entry.policy;
    EXPECT_GE(entry.regret_next, entry.regret_constant) << "one constant is no better than that";
  }
}

TEST(Comparison, APictureHasAtMost480StretchesAndItsKills) {
  const WorkloadResult outcome = compared().results[0];
  const PlotData& plot_data = outcome.entries[0].plot_data;
  EXPECT_EQ(plot_data.interval, 20s);
  EXPECT_EQ(plot_data.cpu.used.size(), 480U);
  EXPECT_EQ(plot_data.memory.request.size(), 480U);
  ASSERT_FALSE(plot_data.ooms.empty());
  EXPECT_EQ(plot_data.ooms.front(), 0U);
}

TEST(ScoreReport, SaysEveryCostInTheSameTwoDecimals) {
  Comparison comparison = compared();
  for (PolicyResult& entry : comparison.results[0].entries) entry.cost = 1.5;
  const std::string page = score_report(comparison);
  EXPECT_NE(page.find(" 1.50</td>"), std::string::npos) << "in the overview, behind its star";
  EXPECT_EQ(page.find(" 1.5</td>"), std::string::npos);
}

TEST(ScoreReport, NamesTheLowestCostOfEachRowAndBeginsWithAVerdict) {
  Comparison comparison;
  const auto entry = [](std::string policy, double cost) {
    PolicyResult result;
    result.policy = std::move(policy);
    result.cost = cost;
    return result;
  };
  for (const char* const workload : {"step", "noisy"}) {
    comparison.results.push_back(
        {.workload = workload, .entries = {entry("vpa", 1.8), entry("hybrid", 0.9)}});
  }
  comparison.results[1].entries[0].cost = 0.904;  // prints as 0.90, as the other does
  comparison.total = {entry("vpa", 1.35), entry("hybrid", 0.9)};
  EXPECT_EQ(score_verdict(comparison),
            "hybrid: lowest mean cost 0.90 (vpa: 1.35), lowest on 1 of 2 workloads");
  EXPECT_EQ(winner_of(comparison.results[1].entries), nullptr);
  const std::string page = score_report(
      comparison, {.command = "recommender score", .version = "1", .date = "2026-11-23"});
  EXPECT_NE(page.find("<p class=\"verdict\">hybrid: lowest mean cost"), std::string::npos);
  EXPECT_NE(page.find("<code>recommender score</code><br>Bellows 1, 2026-11-23"),
            std::string::npos);
  EXPECT_NE(page.find("<td>0.90</td><td>hybrid</td>"), std::string::npos);
  EXPECT_NE(page.find("<td>several</td>"), std::string::npos);
}

TEST(ScoreTable, HasAColumnForEachNumberAndSaysWhatTheyMean) {
  const Comparison comparison = compared();
  for (const auto& row : rows_of(comparison.total)) {
    EXPECT_EQ(row.size(), score_columns().size());
  }
  EXPECT_EQ(score_columns().size(), 10U);
  const std::string table = score_table(comparison);
  EXPECT_NE(table.find("  policy "), std::string::npos);
  EXPECT_NE(table.find("  OOM kills a day       for each container\n"), std::string::npos);
  EXPECT_NE(table.find("crash-loop: Needs 2 GiB"), std::string::npos);
  EXPECT_NE(table.find("\nall workloads"), std::string::npos);
}

}  // namespace
}  // namespace bellows::recommender::score
