#include "slack/sim/demand.hpp"

#include <algorithm>
#include <cmath>

#include "simulator/app_model.hpp"
#include "simulator/load_profile.hpp"
#include "simulator/policy.hpp"
#include "simulator/simulation.hpp"

namespace bellows::slack::sim {

namespace {

Shape steady(const std::string& name, Resources requests) {
  Shape shape;
  shape.name = "default/Deployment/" + name;
  shape.space = "default";
  shape.labels = {{"app", name}};
  shape.requests = requests;
  return shape;
}

Result<simulator::Workload> workload_of(const TraceDemand& demand) {
  const simulator::TraceText trace{demand.file, demand.text};
  const auto format = simulator::detect_format(demand.text);
  if (!format) {
    return fail(ErrorKind::kMalformed, demand.file,
                "the first line is of no known format: want one of docs/simulate.md");
  }
  simulator::Workload workload;
  BELLOWS_TRY(workload.traffic, simulator::read_trace(trace, {.format = *format}));
  workload.options.scale = demand.scale;
  workload.options.from = demand.from;
  workload.options.to = std::min(demand.to, workload.traffic.length);
  workload.seed = demand.seed;
  BELLOWS_TRY(workload.app, simulator::parse_app_model(demand.app));
  BELLOWS_CHECKED(simulator::check_scale(workload.traffic, demand.scale));
  return workload;
}

}  // namespace

Result<Scenario> scenario_of(const TraceDemand& demand) {
  BELLOWS_TRY(const simulator::Workload workload, workload_of(demand));
  const auto policies = simulator::read_policies(demand.policy, "");
  if (!policies) return fail(policies.error().front());
  const simulator::LoadProfile profile = simulator::profile_load(workload);
  const simulator::Outcome outcome =
      simulator::simulate(workload, profile, policies->front().settings);
  Scenario scenario;
  scenario.name = demand.file;
  scenario.about = "Replicas that " + demand.policy + " orders for the requests of the trace.";
  scenario.types = usual_types();
  scenario.workloads = {steady("traced", demand.size),
                        steady("api", {250, std::int64_t{1} << 29U, 1}),
                        steady("worker", {1000, std::int64_t{1} << 31U, 1})};
  const double interval = to_seconds(outcome.interval_length);
  scenario.seconds = static_cast<std::int64_t>(to_seconds(workload.arrivals().length()));
  std::int64_t before = 0;
  for (std::size_t i = 0; i < outcome.intervals.size(); ++i) {
    const auto pods = static_cast<std::int64_t>(std::ceil(outcome.intervals[i].desired - 1e-9));
    const auto second = static_cast<std::int64_t>(static_cast<double>(i) * interval);
    if (pods != before || i == 0) scenario.steps.push_back({second, 0, pods});
    before = pods;
  }
  scenario.steps.push_back({0, 1, 40});
  scenario.steps.push_back({0, 2, 20});
  std::stable_sort(scenario.steps.begin(), scenario.steps.end(),
                   [](const Step& a, const Step& b) { return a.second < b.second; });
  scenario.requests = {profile.arrivals};
  return scenario;
}

}  // namespace bellows::slack::sim
