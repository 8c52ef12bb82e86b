#include <array>

#include "cli/client_settings.hpp"
#include "cli/command.hpp"
#include "cli/replay/decisions_filter.hpp"
#include "cli/replay/replay_settings.hpp"
#include "cli/simulate/simulate_help.hpp"
#include "cli/simulate/simulate_settings.hpp"
#include "config/run_settings.hpp"

namespace bellows::cli {

namespace {

using Declarations = std::vector<config::Declaration>;

const Declarations& no_settings() {
  static const Declarations none;
  return none;
}
const Declarations& run_settings() {
  return config::run_schema().declarations();
}
const Declarations& up_settings() {
  return config::up_schema().declarations();
}
const Declarations& status_settings() {
  return status_schema().declarations();
}
const Declarations& top_settings() {
  return top_schema().declarations();
}
const Declarations& recommend_settings() {
  return recommend_schema().declarations();
}
const Declarations& retire_settings() {
  return retire_schema().declarations();
}

const Declarations& explain_settings() {
  return explain_schema().declarations();
}
const Declarations& journal_settings() {
  return journal_schema().declarations();
}
const Declarations& replay_settings() {
  return replay_schema().declarations();
}
const Declarations& simulate_settings() {
  return simulate_schema().declarations();
}

constexpr std::string_view kRunDetails =
    "COMMAND is started once per replica. It finds the port to listen on (127.0.0.1) in $PORT; "
    "$PORT and ${PORT}\n"
    "inside COMMAND and ARGS are replaced too, so that no shell is needed (quote them from "
    "yours):\n\n"
    "  bellows run -- python3 -m http.server '$PORT'\n"
    "  bellows run --container-concurrency 10 --max-scale 20 --readiness-path /healthz -- "
    "./server\n\n"
    "Callers use --listen. `bellows status`, `bellows top`, /metrics, /healthz and /readyz are at "
    "--admin.\n"
    "Ctrl-C finishes what is in flight and ends; a second Ctrl-C ends at once.\n";

constexpr std::string_view kUpDetails =
    "FILE (bellows.yaml if it is left out) lists services, told apart by host name or path "
    "prefix:\n\n"
    "  services:\n"
    "    - name: shop\n"
    "      host: shop.localhost\n"
    "      command: [./shop, --port, \"$PORT\"]\n"
    "      max-scale: 20\n\n"
    "Flags hold for every service and win over the file. docs/bellows-yaml.md describes all of "
    "it.\n"
    "SIGHUP reads FILE again: settings of services change while they run.\n"
    "With --autoscaler URL only the replicas run here; the programs autoscaler and activator are "
    "then started\n"
    "apart and reach them over --socket.\n";

constexpr std::string_view kRecommendDetails =
    "Prints the chain of every number as it is now in a running Bellows: usage, request, "
    "percentile, margin, bounds,\n"
    "the rule that decided and why it held. The service's resources-mode must not be off:\n\n"
    "  bellows run --recommend --cpu 100m --memory 64Mi -- ./server\n"
    "  bellows recommend web\n";

constexpr std::string_view kDemoDetails =
    "A small service that takes a moment to start and a while per request is sent a quiet spell, a "
    "single request,\n"
    "a burst, and silence again. It takes about a minute and uses short windows for that.\n";

constexpr std::string_view kCompletionDetails =
    "  bellows completion bash > ~/.local/share/bash-completion/completions/bellows\n"
    "  bellows completion zsh  > \"${fpath[1]}/_bellows\"\n"
    "  bellows completion fish > ~/.config/fish/completions/bellows.fish\n";

constexpr std::string_view kExplainDetails =
    "  bellows explain web                        now\n"
    "  bellows explain web --at 14:03:05          the decision that held then; or -30s\n"
    "  bellows explain --journal web.jsonl        of a journal that was kept, as far back as it "
    "reaches\n\n"
    "The last 32 decisions of each service are remembered: about a minute.\n";

constexpr std::string_view kJournalDetails =
    "`bellows replay decisions` makes the same decisions again, byte for byte:\n\n"
    "  bellows journal web > web.jsonl\n"
    "  bellows replay decisions web.jsonl\n\n"
    "Change a setting in a line with `spec` to see what would have been. docs/replay.md has the "
    "format.\n";

constexpr std::string_view kReplayDetails =
    "Lines of JSON in (FILE or standard input), lines of JSON out, in virtual time: the code that "
    "runs in\n"
    "production as a filter. docs/replay.md has the formats.\n";

constexpr std::string_view kReplayWindowsDetails =
    "One series of values over one window, 1 s buckets. What was it, read when?\n\n"
    "  {\"window\":\"60s\",\"algorithm\":\"linear\"}      starts anew; or "
    "\"weighted-exponential\"\n"
    "  {\"at\":3.2,\"record\":5.0}\n"
    "  {\"at\":3.6,\"read\":true}                       prints "
    "{\"at\":3.6,\"average\":5,\"empty\":false}\n"
    "  {\"at\":9,\"resize\":\"30s\"}\n\n"
    "A lost second, and what each profile makes of it:\n\n"
    "  printf '%s\\n' '{\"window\":\"6s\"}' '{\"at\":1,\"record\":9}' '{\"at\":3,\"record\":9}' "
    "'{\"at\":3,\"read\":true}' |\n"
    "    bellows replay windows --profile knative\n\n"
    "prints 6, because Knative takes a gap for zero; without the flag 9, because it is unknown.\n";

constexpr std::array<Command, 2> kReplayCommands = {{
    {"replay decisions", "replay decisions [FILE] [--profile bellows|knative|seed]",
     "Decide again, from lines or from a journal", "", replay_settings, replay_decisions,
     decisions_help},
    {"replay windows", "replay windows [FILE] [--profile bellows|knative|seed]",
     "Average recorded values over a window", kReplayWindowsDetails, replay_settings,
     replay_windows},
}};

constexpr std::array<Command, 13> kCommands = {{
    {"run", "run [flags] -- COMMAND [ARGS...]", "Run one service on this machine and scale it",
     kRunDetails, run_settings, run_service},
    {"up", "up [FILE] [flags]", "Run the services of a bellows.yaml", kUpDetails, up_settings,
     run_file},
    {"status", "status [NAME] [-o table|wide|json] [flags]",
     "Show replicas, load, mode and the last decision", "", status_settings, show_status},
    {"top", "top [NAME] [flags]", "The same, live, with a chart", "", top_settings, show_top},
    {"recommend", "recommend NAME|REPLICA/CONTAINER [flags]",
     "Explain the recommended size of a service's replicas, number by number", kRecommendDetails,
     recommend_settings, explain_size},
    {"explain", "explain NAME [--at TIME] [flags]", "Tell why there are that many replicas",
     kExplainDetails, explain_settings, show_explanation},
    {"journal", "journal NAME [flags]", "Print the last decisions as lines to replay",
     kJournalDetails, journal_settings, print_journal},
    {"retire", "retire NAME [flags]", "Take a service out of service for good: it answers 410 Gone",
     "", retire_settings, retire},
    {"simulate", "simulate --trace FILE [--policy PROFILE[,...]] [flags]",
     "Compare scaling policies on a trace, in virtual time", kSimulateDetails, simulate_settings,
     simulate},
    {"demo", "demo", "Watch a sample service go from zero through a burst and back", kDemoDetails,
     no_settings, show_demo},
    {"replay", "replay COMMAND [FILE] [flags]", "Run the deciding code as a filter over JSON lines",
     kReplayDetails, no_settings, run_replay},
    {"completion", "completion bash|zsh|fish", "Print a shell's completion script",
     kCompletionDetails, no_settings, print_completion},
    {"version", "version", "Print the version", "", no_settings, print_version},
}};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

std::span<const Command> replay_commands() {
  return kReplayCommands;
}

std::string_view last_word(const Command& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

}  // namespace bellows::cli
