#include <array>

#include "cli/client_settings.hpp"
#include "cli/command.hpp"
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
const Declarations& retire_settings() {
  return retire_schema().declarations();
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
    "With --autoscaler URL only the replicas run here; the programs autoscaler and activator are "
    "then started\n"
    "apart and reach them over --socket.\n";

constexpr std::string_view kDemoDetails =
    "A small service that takes a moment to start and a while per request is sent a quiet spell, a "
    "single request,\n"
    "a burst, and silence again. It takes about a minute and uses short windows for that.\n";

constexpr std::string_view kCompletionDetails =
    "  bellows completion bash > ~/.local/share/bash-completion/completions/bellows\n"
    "  bellows completion zsh  > \"${fpath[1]}/_bellows\"\n"
    "  bellows completion fish > ~/.config/fish/completions/bellows.fish\n";

constexpr std::array<Command, 8> kCommands = {{
    {"run", "run [flags] -- COMMAND [ARGS...]", "Run one service on this machine and scale it",
     kRunDetails, run_settings, run_service},
    {"up", "up [FILE] [flags]", "Run the services of a bellows.yaml", kUpDetails, up_settings,
     run_file},
    {"status", "status [NAME] [-o table|wide|json] [flags]",
     "Show replicas, load, mode and the last decision", "", status_settings, show_status},
    {"top", "top [NAME] [flags]", "The same, live, with a chart", "", top_settings, show_top},
    {"retire", "retire NAME [flags]", "Take a service out of service for good: it answers 410 Gone",
     "", retire_settings, retire},
    {"demo", "demo", "Watch a sample service go from zero through a burst and back", kDemoDetails,
     no_settings, show_demo},
    {"completion", "completion bash|zsh|fish", "Print a shell's completion script",
     kCompletionDetails, no_settings, print_completion},
    {"version", "version", "Print the version", "", no_settings, print_version},
}};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

}  // namespace bellows::cli
