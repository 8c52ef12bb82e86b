// The simulator: what each baseline should show, and that it is repeatable.
#include "slack/sim/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "slack/sim/comparison.hpp"

namespace bellows::slack::sim {
namespace {

SimulationSettings tenth() {
  SimulationSettings settings;
  settings.planner.rate.millionths = 100000;
  return settings;
}

/// The step scenario cut to two hours.
Scenario short_step() {
  Scenario scenario = make_scenario("step", 1).value();
  scenario.seconds = 7500;
  scenario.failures_per_node_day = 0;
  scenario.order_failures = 0;
  return scenario;
}

TEST(Simulation, WithoutSlackPodsOfAStepWaitForNodes) {
  const Score none = simulate(short_step(), Baseline::kNone, tenth());
  EXPECT_EQ(none.needed, 20);
  EXPECT_GT(none.for_node, 0);
  EXPECT_GE(none.max_seconds, 30);
}

TEST(Simulation, SlackPlacesMorePodsAtOnceAndCostsMore) {
  const Score none = simulate(short_step(), Baseline::kNone, tenth());
  const Score slack = simulate(short_step(), Baseline::kSlack, tenth());
  EXPECT_EQ(slack.needed, none.needed);
  EXPECT_GT(slack.at_once, none.at_once);
  EXPECT_LT(slack.for_node, none.for_node);
  EXPECT_GT(slack.cost, none.cost);
  EXPECT_LT(slack.cost, none.cost * 1.3);
  EXPECT_EQ(slack.moves_when_quiet, 0);
}

TEST(Simulation, ABalloonMakesItsPodsWaitForThePreemption) {
  const Score balloon = simulate(short_step(), Baseline::kBalloon, tenth());
  EXPECT_GT(balloon.max_seconds, 0);
  EXPECT_LT(balloon.at_once, balloon.needed);
}

TEST(Simulation, AClusterThatIsEmptyAtFirstGetsItsNodesUnderEachBaseline) {
  const std::vector<Baseline> all = read_baselines("all").value();
  for (const Baseline baseline : all) {
    Scenario scenario = short_step();
    std::erase_if(scenario.steps, [](const Step& step) { return step.second == 0; });
    scenario.steps.push_back({7000, 0, 0});
    std::stable_sort(scenario.steps.begin(), scenario.steps.end(),
                     [](const Step& a, const Step& b) { return a.second < b.second; });
    const Score score = simulate(scenario, baseline, tenth());
    EXPECT_GT(score.needed, 0) << to_string(baseline);
    // One start of a node, and what passes until the next scan.
    EXPECT_LE(score.max_seconds, 180 + 20) << to_string(baseline);
    EXPECT_GT(score.cost, 0) << to_string(baseline);
  }
}

TEST(Simulation, ALoweredThresholdAbsorbsASmallStep) {
  const Score lowered = simulate(short_step(), Baseline::kLowered, tenth());
  EXPECT_GE(lowered.at_once, 10);
}

TEST(Simulation, EqualArgumentsGiveEqualScores) {
  const Scenario scenario = make_scenario("burst", 3).value();
  const Score one = simulate(scenario, Baseline::kShapes, tenth());
  const Score two = simulate(scenario, Baseline::kShapes, tenth());
  EXPECT_EQ(comparison_json({.results = {{"burst", "", {one}}}}),
            comparison_json({.results = {{"burst", "", {two}}}}));
  EXPECT_EQ(one.nodes, two.nodes);
}

TEST(Simulation, EveryPodThatIsNeededIsAccountedFor) {
  for (const std::string& name : scenario_names()) {
    Scenario scenario = make_scenario(name, 2).value();
    scenario.seconds = 5400;
    const Score score = simulate(scenario, Baseline::kSlack, tenth());
    EXPECT_GE(score.needed, score.at_once + score.for_node) << name;
    EXPECT_GE(score.honoured, 0.5) << name;
  }
}

TEST(Baselines, AreReadByName) {
  EXPECT_EQ(read_baselines("all").value().size(), 6U);
  EXPECT_EQ(read_baselines("none,slack").value(),
            (std::vector<Baseline>{Baseline::kNone, Baseline::kSlack}));
  EXPECT_FALSE(read_baselines("none,wrong"));
  EXPECT_FALSE(make_scenario("wrong", 1));
}

TEST(Page, HasARowForEachBaselineAndTwoPlots) {
  const Score none = simulate(short_step(), Baseline::kNone, tenth());
  const std::string page = comparison_page({.results = {{"step", "about", {none, none}}}});
  EXPECT_THAT(page, testing::HasSubstr("Pods without a node"));
  EXPECT_THAT(page, testing::HasSubstr("<svg"));
}

}  // namespace
}  // namespace bellows::slack::sim
