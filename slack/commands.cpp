#include "slack/commands.hpp"

#include <array>

#include "command/completion.hpp"
#include "command/manual.hpp"
#include "slack/program_settings.hpp"

namespace bellows::slack {

namespace {

using command::Command;
using command::Declarations;

constexpr std::string_view kAbout =
    R"(Keeps room on the nodes of a cluster for the pods that come next, so that they do not wait for a node.

  kubectl get nodes,pods -A -o json | slack report                  which arrivals find room now
  kubectl get nodes,pods -A -o json | slack plan -o capacitybuffer | kubectl apply -f -
  slack sim --report slack.html                                     what it costs, what it saves
)";

constexpr std::string_view kPlanDetails =
    R"(Prints the placeholders, the nodes to add and the nodes to remove. FILE is a list of
`kubectl get nodes,pods -A -o json` as it is (standard input without one, or as -); with --nodes and --pods CSV files
are read instead.

  kubectl get nodes,pods -A -o json | slack plan --extra-capacity-min-rate 0.1
  slack plan --nodes nodes.csv --pods pods.csv --rate 0.2 --state slack.json
  kubectl get nodes,pods,deployments -A -o json | slack plan -o deployment | kubectl apply -f -
  bellows status -o json > status.json; slack plan cluster.json --shapes revisions --revisions status.json

The annotation slack.bellows.dev/mirror: "2" on pods, Deployments, ReplicaSets, StatefulSets or Jobs keeps room for two
of them. slack.bellows.dev/exempt: "true" leaves a pod out of the biggest ones. A plan that has an error scales nothing
and exits with 1.
)";

constexpr std::string_view kProbeDetails =
    R"(Checks whether a pod of this size finds room now without a new node, and prints the obstacles if it does not.
Prints also which sizes up to the biggest pods fit, and which shapes of the cluster.

  kubectl get nodes,pods -A -o json | slack probe cpu=500m mem=5Gi
  slack probe cpu=2 mem=1Gi node.disk=ssd tolerate=gpu spread=host --nodes nodes.csv --pods pods.csv

node.KEY=VALUE is a node selector, tolerate=KEY a toleration, spread=host one pod a node.
)";

constexpr std::string_view kReportDetails =
    R"(Lists the sudden arrivals that find room now, shape by shape, and the obstacles of the others. `-o json` for
programs; the input is that of `slack plan`.

  kubectl get nodes,pods -A -o json | slack report
)";

constexpr std::string_view kSimDetails =
    R"(Simulates demand for pods on nodes that take 30 to 180 s to start, for each way to keep room, and prints how
long pods waited for a node and what it cost. With --trace the demand are the decisions of Bellows' autoscaler.

  slack sim
  slack sim --scenario burst --baselines none,slack,balloon --rate 0.2 --report slack.html
  slack sim --trace worldcup98-jun30.csv --scale 0.05 --from 15h --to 19h
)";

template <auto schema>
const Declarations& settings_of() {
  return schema().declarations();
}

constexpr std::array<Command, 7> kCommands = {{
    {.name = "plan",
     .synopsis = "plan [FILE | --nodes FILE --pods FILE] [--extra-capacity-min-rate RATE] [flags]",
     .summary = "Plan placeholders, nodes to add and nodes to remove",
     .details = kPlanDetails,
     .settings = settings_of<plan_schema>,
     .run = run_plan,
     .reads_environment = false},
    {.name = "probe",
     .synopsis = "probe cpu=AMOUNT mem=AMOUNT [FILE | --nodes FILE --pods FILE] [flags]",
     .summary = "Check whether a pod of this size finds room now",
     .details = kProbeDetails,
     .settings = settings_of<plan_schema>,
     .run = run_probe,
     .reads_environment = false},
    {.name = "report",
     .synopsis = "report [FILE | --nodes FILE --pods FILE] [flags]",
     .summary = "List the arrivals that find room now, and the obstacles of the others",
     .details = kReportDetails,
     .settings = settings_of<plan_schema>,
     .run = run_report,
     .reads_environment = false},
    {.name = "sim",
     .synopsis = "sim [--scenario NAMES | --trace FILE] [--baselines NAMES] [flags]",
     .summary = "Simulate ways to keep room, and compare waits and cost",
     .details = kSimDetails,
     .settings = settings_of<sim_schema>,
     .run = run_sim,
     .reads_environment = false},
    command::kCompletionCommand,
    command::kManualCommand,
    command::kVersionCommand,
}};

constexpr command::Program kSlack{.name = "slack", .about = kAbout, .commands = kCommands};

}  // namespace

const command::Program& slack_program() {
  return kSlack;
}

int report_error(const command::Invocation& invocation, const Error& error) {
  const bool is_input = error.kind() == ErrorKind::kMalformed ||
                        error.kind() == ErrorKind::kInvalidSetting ||
                        error.kind() == ErrorKind::kUnsupported;
  return is_input ? command::usage_error(invocation, error)
                  : command::report_failure(invocation, error);
}

}  // namespace bellows::slack
