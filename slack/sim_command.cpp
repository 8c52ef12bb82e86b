// slack sim: compares ways to reserve room.
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

#include "base/sys/file.hpp"
#include "base/text_parts.hpp"
#include "command/input.hpp"
#include "slack/commands.hpp"
#include "slack/program_settings.hpp"
#include "slack/sim/comparison.hpp"
#include "slack/sim/demand.hpp"

namespace bellows::slack {

namespace {

Result<sim::Scenario> traced(const SimSettings& settings) {
  sim::TraceDemand demand;
  BELLOWS_TRY(demand.text, command::read_input(settings.trace, "the trace"));
  demand.file = command::input_name(settings.trace);
  demand.policy = settings.policy;
  demand.scale = settings.scale;
  demand.from = settings.from;
  demand.to = settings.to;
  demand.app = settings.app;
  demand.size = {settings.cpu.value, settings.memory.value, 1};
  demand.seed = static_cast<std::uint64_t>(settings.seed);
  return sim::scenario_of(demand);
}

Result<std::vector<sim::Scenario>> scenarios(const SimSettings& settings) {
  std::vector<sim::Scenario> all;
  if (!settings.trace.empty()) {
    BELLOWS_TRY(sim::Scenario scenario, traced(settings));
    all.push_back(std::move(scenario));
    return all;
  }
  const auto given = split(settings.scenario, ',');
  std::vector<std::string> names(given.begin(), given.end());
  if (settings.scenario == "all") names = sim::scenario_names();
  for (const std::string& name : names) {
    BELLOWS_TRY(sim::Scenario scenario,
                sim::make_scenario(name, static_cast<std::uint64_t>(settings.seed)));
    all.push_back(std::move(scenario));
  }
  return all;
}

}  // namespace

int run_sim(const command::Invocation& invocation) {
  const auto settings = sim_schema().apply({invocation.arguments.flags()});
  if (!settings) return command::usage_error(invocation, settings.error());
  if (!invocation.arguments.positional.empty())
    return command::usage_error(invocation, "want flags only, such as --scenario burst");
  const auto baselines = sim::read_baselines(settings->baselines);
  if (!baselines) return report_error(invocation, baselines.error());
  const auto played = scenarios(*settings);
  if (!played) return report_error(invocation, played.error());
  sim::SimulationSettings simulation;
  simulation.planner.rate.millionths = std::llround(settings->rate * static_cast<double>(kMillion));
  simulation.seed = static_cast<std::uint64_t>(settings->seed);
  sim::Comparison comparison{.seed = simulation.seed, .rate = settings->rate};
  for (const sim::Scenario& scenario : *played) {
    sim::ScenarioResult result{scenario.name, scenario.about, {}};
    for (const sim::Baseline baseline : *baselines)
      result.scores.push_back(sim::simulate(scenario, baseline, simulation));
    comparison.results.push_back(std::move(result));
  }
  std::cout << (settings->json ? sim::comparison_json(comparison)
                               : sim::comparison_table(comparison));
  if (settings->report.empty()) return command::kSuccess;
  const auto written = sys::replace_file(settings->report, sim::comparison_page(comparison));
  return written ? command::kSuccess : command::report_failure(invocation, written.error());
}

}  // namespace bellows::slack
