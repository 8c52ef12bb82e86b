#include "cli/commands.hpp"

#include <array>
#include <string_view>

#include "autoscaler/triggers/trigger_replay.hpp"
#include "cli/client_settings.hpp"
#include "cli/details.hpp"
#include "cli/inject/inject_details.hpp"
#include "cli/inject/inject_settings.hpp"
#include "cli/replay/decisions_filter.hpp"
#include "cli/replay/replay_settings.hpp"
#include "cli/services/service_flags.hpp"
#include "cli/simulate/simulate_settings.hpp"
#include "command/completion.hpp"
#include "command/manual.hpp"
#include "config/run_settings.hpp"

namespace bellows::cli {

namespace {

using command::Command;
using command::Declarations;

/// Returns the declarations of a schema in the form of the table of commands.
template <auto schema>
const Declarations& settings_of() {
  return schema().declarations();
}

std::string decisions_details(const command::Program&) {
  return decisions_help();
}

std::string triggers_details(const command::Program&) {
  return autoscaler::triggers::trigger_replay_help();
}

constexpr std::array<Command, 4> kReplayCommands = {{
    {.name = "replay decisions",
     .synopsis = "replay decisions [FILE] [--profile bellows|knative|seed]",
     .summary = "Repeat scaling decisions, from JSON lines or from a journal",
     .settings = settings_of<replay_schema>,
     .run = replay_decisions,
     .more_details = decisions_details},
    {.name = "replay slow",
     .synopsis = "replay slow [FILE]",
     .summary = "Repeat the evaluations of a slow brain, from its journal",
     .details = kReplaySlowDetails,
     .run = replay_slow},
    {.name = "replay triggers",
     .synopsis = "replay triggers [FILE]",
     .summary = "Repeat the decisions of lists of triggers (Maestro's autoscaling)",
     .run = replay_triggers,
     .more_details = triggers_details},
    {.name = "replay windows",
     .synopsis = "replay windows [FILE] [--profile bellows|knative|seed]",
     .summary = "Average recorded values over a window",
     .details = kReplayWindowsDetails,
     .settings = settings_of<replay_schema>,
     .run = replay_windows},
}};

constexpr std::array<Command, 1> kConvertCommands = {{
    {.name = "convert maestro",
     .synopsis = "convert maestro FILE",
     .summary = "Convert a scheduler's YAML of Maestro to a bellows.yaml",
     .details = "Reads v9 (triggers) and v10 (roomOccupancy, fixedBuffer, or roomsReplicas without "
                "autoscaling).\n"
                "Older triggers become triggers of type room, as Maestro converts them. Comments "
                "at the begin of the\n"
                "result name each key that is left out, with its line.\n",
     .run = convert_maestro},
}};

std::span<const Command> convert_commands() {
  return kConvertCommands;
}

std::span<const Command> replay_commands() {
  return kReplayCommands;
}

constexpr std::array<Command, 36> kCommands = {{
    {.name = "run",
     .synopsis = "run [flags] -- COMMAND [ARGS...]",
     .summary = "Run one service on this machine and scale it",
     .details = kRunDetails,
     .settings = settings_of<config::run_schema>,
     .run = run_service},
    {.name = "up",
     .synopsis = "up [FILE] [flags]",
     .summary = "Run the services of a bellows.yaml",
     .details = kUpDetails,
     .settings = settings_of<config::up_schema>,
     .run = run_file},
    {.name = "down",
     .synopsis = "down [flags]",
     .summary = "Stop a running Bellows as Ctrl-C does: requests in flight finish",
     .details = kDownDetails,
     .settings = settings_of<control_schema>,
     .run = stop_machine},
    {.name = "reload",
     .synopsis = "reload [flags]",
     .summary = "Make a running `bellows up` reload its file",
     .details = kReloadDetails,
     .settings = settings_of<control_schema>,
     .run = reload_settings},
    {.name = "apply",
     .synopsis = "apply [-f FILE] [--dry-run] [flags]",
     .summary = "Apply a settings file to a running `bellows up`",
     .details = kApplyDetails,
     .settings = settings_of<apply_schema>,
     .run = apply_file},
    {.name = "add",
     .synopsis = "add NAME [flags] -- COMMAND [ARGS...]",
     .summary = "Add a service to a running Bellows",
     .details = kAddDetails,
     .settings = settings_of<add_schema>,
     .run = add_service},
    {.name = "deploy",
     .synopsis = "deploy NAME [flags] [-- COMMAND [ARGS...]]",
     .summary = "Give a service a new revision, which takes over when it is ready",
     .details = kDeployDetails,
     .settings = settings_of<deploy_schema>,
     .run = deploy_service},
    {.name = "rollback",
     .synopsis = "rollback NAME [--to REVISION] [flags]",
     .summary = "Return the requests of a service to an earlier revision",
     .details = kRollbackDetails,
     .settings = settings_of<rollback_schema>,
     .run = roll_back},
    {.name = "split",
     .synopsis = "split NAME [REVISION=PERCENT...] [--tag TAG=REVISION] [flags]",
     .summary = "Share the requests of a service among its revisions; give one its own host",
     .details = kSplitDetails,
     .settings = settings_of<split_schema>,
     .run = split_requests},
    {.name = "remove",
     .synopsis = "remove NAME [flags]",
     .summary = "Remove a service from a running Bellows, after its last request",
     .details = kRemoveDetails,
     .settings = settings_of<service_order_schema>,
     .run = remove_service},
    {.name = "revisions",
     .synopsis = "revisions [NAME] [--json] [flags]",
     .summary = "Show the revisions of services and their shares",
     .settings = settings_of<revisions_schema>,
     .run = show_revisions},
    {.name = "route-test",
     .synopsis = "route-test [METHOD] URL [-H 'NAME: VALUE']... [-f FILE] [flags]",
     .summary = "Show which service gets a request, and why the others do not",
     .details = kRouteTestDetails,
     .settings = settings_of<route_test_schema>,
     .run = test_route},
    {.name = "status",
     .synopsis = "status [NAME] [-o table|wide|json] [flags]",
     .summary = "Show replicas, load, mode and the last decision",
     .details = kStatusDetails,
     .settings = settings_of<status_schema>,
     .run = show_status},
    {.name = "top",
     .synopsis = "top [NAME] [flags]",
     .summary = "Show the status, refreshed in place, with a chart",
     .settings = settings_of<top_schema>,
     .run = show_top},
    {.name = "logs",
     .synopsis = "logs NAME [-f] [flags]",
     .summary = "Print the last output of the replicas of a service",
     .details = kLogsDetails,
     .settings = settings_of<logs_schema>,
     .run = show_logs},
    {.name = "page",
     .synopsis = "page [NAME] [flags]",
     .summary = "Print the address of the live page with the rights of the control socket",
     .details = kPageDetails,
     .settings = settings_of<control_schema>,
     .run = show_page},
    {.name = "recommend",
     .synopsis = "recommend NAME|REPLICA/CONTAINER [flags]",
     .summary = "Explain the recommended size of a service's replicas, number by number",
     .details = kRecommendDetails,
     .settings = settings_of<recommend_schema>,
     .run = explain_size},
    {.name = "explain",
     .synopsis = "explain NAME|--journal FILE|--request ID [--at TIME] [flags]",
     .summary = "Explain the current number of replicas",
     .details = kExplainDetails,
     .settings = settings_of<explain_schema>,
     .run = show_explanation},
    {.name = "journal",
     .synopsis = "journal NAME [flags]",
     .summary = "Print the last decisions as JSON lines to replay",
     .details = kJournalDetails,
     .settings = settings_of<journal_schema>,
     .run = print_journal},
    {.name = "slow",
     .synopsis = "slow NAME [--svg FILE] [--journal] [flags]",
     .summary = "Show as curves the learned load limits of a service",
     .details = kSlowDetails,
     .settings = settings_of<slow_schema>,
     .run = show_learned},
    {.name = "scale",
     .synopsis = "scale NAME N [flags]",
     .summary = "Run N replicas of a service, whatever its load, until it is resumed",
     .details = kScaleDetails,
     .settings = settings_of<control_schema>,
     .run = scale_service},
    {.name = "restart",
     .synopsis = "restart NAME [flags]",
     .summary = "Replace the replicas of a service, one after the other",
     .details = kRestartDetails,
     .settings = settings_of<control_schema>,
     .run = restart_service},
    {.name = "retire",
     .synopsis = "retire NAME [flags]",
     .summary = "Retire a service permanently: it responds 410 Gone",
     .details = kRetireDetails,
     .settings = settings_of<set_state_schema>,
     .run = retire},
    {.name = "pause",
     .synopsis = "pause NAME [flags]",
     .summary = "Stop scaling a service and keep its number of replicas",
     .details = kPauseDetails,
     .settings = settings_of<set_state_schema>,
     .run = pause},
    {.name = "resume",
     .synopsis = "resume NAME [flags]",
     .summary = "Scale a paused service according to its load again",
     .details = kResumeDetails,
     .settings = settings_of<set_state_schema>,
     .run = resume},
    {.name = "check",
     .synopsis = "check [FILE] [-o table|json] [flags]",
     .summary = "Check settings, this machine and a running Bellows, or a Kubernetes cluster",
     .details = kCheckDetails,
     .settings = settings_of<check_schema>,
     .run = check},
    {.name = "inject",
     .synopsis = "inject FILE|FOLDER|-... [flags]",
     .summary = "Give the pods of Kubernetes manifests a queue-proxy",
     .details = kInjectDetails,
     .settings = settings_of<inject_schema>,
     .run = inject_manifests,
     .reads_environment = false},
    {.name = "uninject",
     .synopsis = "uninject FILE|FOLDER|-... [flags]",
     .summary = "Restore manifests as they were before inject",
     .details = kUninjectDetails,
     .settings = settings_of<uninject_schema>,
     .run = uninject_manifests,
     .reads_environment = false},
    {.name = "uninstall",
     .synopsis = "uninstall [--dry-run] [flags]",
     .summary = "Remove Bellows from a Kubernetes cluster; each Service keeps its pods",
     .details = kUninstallDetails,
     .settings = settings_of<uninstall_schema>,
     .run = uninstall},
    {.name = "simulate",
     .synopsis = "simulate FILE [--policy PROFILE[,...]] [flags]",
     .summary = "Compare scaling policies on an access log or a trace, in virtual time",
     .details = kSimulateDetails,
     .settings = settings_of<simulate_schema>,
     .run = simulate},
    {.name = "demo",
     .synopsis = "demo",
     .summary = "Watch a sample service scale from zero through a burst and back",
     .details = kDemoDetails,
     .run = show_demo},
    {.name = "replay",
     .synopsis = "replay COMMAND [FILE] [flags]",
     .summary = "Repeat decisions from JSON lines",
     .details = kReplayDetails,
     .subcommands = replay_commands},
    {.name = "convert",
     .synopsis = "convert maestro FILE",
     .summary = "Turn settings of other autoscalers into those of Bellows",
     .subcommands = convert_commands},
    command::kCompletionCommand,
    command::kManualCommand,
    command::kVersionCommand,
}};

constexpr std::string_view kAbout =
    R"(Bellows scales HTTP services by the requests in flight: up from zero on the first request, quickly in a burst, down
again afterwards, and to zero when no requests arrive.

  bellows run -- python3 -m http.server --bind 127.0.0.1 '$PORT'     one service on this machine, at 127.0.0.1:8080
)";

struct Instead {
  std::string_view name;
  std::string_view want;
};

constexpr std::string_view kToStop =
    "`bellows scale NAME 0` ends the processes of a service, and requests wait until "
    "`bellows resume NAME`; `bellows retire NAME` answers them with 410; `bellows down` stops "
    "Bellows";
constexpr std::string_view kToStart =
    "a service starts with its first request; `bellows resume NAME` brings one back that was "
    "paused or retired; `bellows add NAME` adds one";

constexpr Instead kInstead[] = {
    {"stop", kToStop},
    {"kill", kToStop},
    {"start", kToStart},
    {"delete", "`bellows remove NAME` removes a service"},
    {"rm", "`bellows remove NAME` removes a service"},
    {"list", "`bellows status` lists the services"},
    {"ls", "`bellows status` lists the services"},
    {"ps", "`bellows status -o wide` lists services and replicas"},
};

std::string_view instead_of(std::string_view name) {
  for (const Instead& row : kInstead) {
    if (row.name == name) return row.want;
  }
  return {};
}

constexpr command::Program kBellows{
    .name = "bellows", .about = kAbout, .commands = kCommands, .instead_of = instead_of};

}  // namespace

const command::Program& bellows_program() {
  return kBellows;
}

}  // namespace bellows::cli
