#include "slack/program_settings.hpp"

#include <cmath>

namespace bellows::slack {

namespace {

config::Declaration rate_declaration() {
  return {.name = "extra-capacity-min-rate",
          .aliases = {"rate"},
          .bounds = {.min = 0, .max = 1, .max_excluded = true},
          .help = "Extra capacity to keep, as a part of the cluster: 0.1 is a tenth."};
}

void add_sizing(config::Schema<PlanSettings>& schema) {
  using S = PlanSettings;
  schema.add(&S::rate, rate_declaration());
  schema.add_choice(&S::base, {{"capacity", Base::kCapacity}, {"requested", Base::kRequested}},
                    {.name = "slack-base",
                     .aliases = {"base"},
                     .help = "Base of the rate: the capacity of nodes, or the requests of pods."});
  schema.add(&S::granularity, {.name = "granularity",
                               .bounds = config::between(1, 1000),
                               .help = "Placeholders that fill an average node."});
  schema.add_choice(&S::sizing,
                    {{"average", Sizing::kAverage},
                     {"two-biggest", Sizing::kTwoBiggest},
                     {"one-biggest", Sizing::kOneBiggest}},
                    {.name = "sizing",
                     .help = "Equal parts of an average node; or also room for the pods with most "
                             "CPU and most memory; or room for one pod with both."});
  schema.add(&S::scale_down_utilisation,
             {.name = "scale-down-utilization",
              .bounds = config::between(0, 1),
              .help = "Nodes whose pods request less than this part may be removed."});
  schema.add(&S::scale_down_candidates, {.name = "scale-down-candidates",
                                         .bounds = config::between(0, 100000),
                                         .help = "Nodes simulated as removed."});
}

void add_input(config::Schema<PlanSettings>& schema) {
  using S = PlanSettings;
  schema.add(&S::nodes, {.name = "nodes",
                         .help = "Nodes as CSV: name,type,cpu_millicores,memory_bytes,pods,ready,"
                                 "labels.",
                         .unset = "the list of FILE"});
  schema.add(&S::pods, {.name = "pods",
                        .help = "Pods as CSV: name,owner,node,cpu_millicores,memory_bytes,labels,"
                                "annotations.",
                        .unset = "the list of FILE"});
  schema.add(&S::types, {.name = "types",
                         .help = "Types of nodes that can be added, as CSV: type,cpu_millicores,"
                                 "memory_bytes,pods,price,max_nodes,labels.",
                         .unset = "those of the nodes"});
  schema.add(&S::group_label, {.name = "group-label",
                               .help = "Label of nodes that names their node group.",
                               .unset = "that of the cloud"});
  schema.add(&S::state, {.name = "state",
                         .help = "File that keeps the placements for the next call.",
                         .unset = "none"});
  schema.add_choice(
      &S::shapes, {{"averages", ShapeSource::kAverages}, {"revisions", ShapeSource::kRevisions}},
      {.name = "shapes",
       .help = "Sizes of placeholders: parts of an average node, or the next replicas "
               "of Bellows' revisions."});
  schema.add(&S::revisions, {.name = "revisions",
                             .help = "Output of `bellows status -o json`; - is standard input.",
                             .unset = "none"});
}

}  // namespace

Settings PlanSettings::planner() const {
  return {.rate = {std::llround(rate * static_cast<double>(kMillion))},
          .granularity = granularity,
          .base = base,
          .sizing = sizing,
          .scale_down_utilisation = scale_down_utilisation,
          .scale_down_candidates = scale_down_candidates};
}

const config::Schema<PlanSettings>& plan_schema() {
  static const config::Schema<PlanSettings> schema = [] {
    using S = PlanSettings;
    config::Schema<S> plan;
    plan.group("Extra capacity");
    add_sizing(plan);
    plan.group("Input and output");
    add_input(plan);
    plan.add(&S::space, {.name = "namespace", .help = "Namespace of objects that are printed."});
    plan.add_choice(&S::output,
                    {{"json", Output::kJson},
                     {"text", Output::kText},
                     {"capacitybuffer", Output::kCapacityBuffer},
                     {"deployment", Output::kDeployment},
                     {"node-groups", Output::kNodeGroups}},
                    {.name = "output",
                     .aliases = {"o"},
                     .help = "JSON; text (report only); or YAML (plan only): CapacityBuffers, "
                             "Deployments of pause pods, sizes of node groups."});
    return plan;
  }();
  return schema;
}

const config::Schema<SimSettings>& sim_schema() {
  static const config::Schema<SimSettings> schema = [] {
    using S = SimSettings;
    config::Schema<S> sim;
    sim.group("Simulation");
    sim.add(&S::rate, rate_declaration());
    sim.add(&S::scenario, {.name = "scenario",
                           .help = "poisson, step, burst, diurnal, batch, separated by commas; "
                                   "all; none with --trace."});
    sim.add(&S::baselines, {.name = "baselines",
                            .help = "none, slack, slack-shapes, balloon, capacity-buffer, "
                                    "lowered-threshold, separated by commas; all."});
    sim.add(&S::trace, {.name = "trace",
                        .help = "Requests (formats of `bellows simulate`): the autoscaler's "
                                "decisions on them are the demand.",
                        .unset = "synthetic demand"});
    sim.add(
        &S::scale,
        {.name = "scale", .bounds = config::within(0, 1e6), .help = "Load factor of the trace."});
    sim.add(
        &S::from,
        {.name = "from", .bounds = config::at_least(Duration{}), .help = "Begin in the trace."});
    sim.add(&S::to,
            {.name = "to", .bounds = config::at_least(Duration{}), .help = "End in the trace."});
    sim.add(&S::policy, {.name = "policy", .help = "Policy that decides on the trace."});
    sim.add(&S::app, {.name = "app", .help = "App model of the trace, as of `bellows simulate`."});
    sim.add(&S::cpu, {.name = "replica-cpu",
                      .bounds = config::between(Millicores{1}, Millicores{1000000}),
                      .help = "CPU that a replica of the trace requests."});
    sim.add(&S::memory, {.name = "replica-memory",
                         .bounds = config::between(Bytes{1}, mebibytes(1024 * 1024)),
                         .help = "Memory that a replica of the trace requests."});
    sim.add(&S::seed, {.name = "seed", .bounds = config::between(0, 1e15), .help = "Random seed."});
    sim.add(&S::report, {.name = "report",
                         .help = "Write an HTML page with plots to this file.",
                         .unset = "no page"});
    sim.add(&S::json, {.name = "json", .help = "Print JSON instead of the table."});
    return sim;
  }();
  return schema;
}

}  // namespace bellows::slack
