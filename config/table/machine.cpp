// Addresses, and what holds for one machine.
#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/run_settings.hpp"
#include "config/table.hpp"
#include "config/text_formats.hpp"
#include "config/worker_count.hpp"

namespace bellows::config {
namespace {

using namespace std::chrono_literals;

constexpr Bounds kJournal = between(Bytes{0}, mebibytes(64 * 1024));
constexpr Bounds kCpu = between(Millicores{0}, Millicores{1'000'000'000});
constexpr Bounds kMemory = between(Bytes{0}, mebibytes(1024 * 1024 * 1024));

constexpr std::string_view kAdminHostsHelp =
    "Accepted Host names of this program's pages, separated by commas. Others get 403, which stops "
    "DNS rebinding. IP addresses, localhost, the machine's host name and the names beside it in "
    "/etc/hosts are always accepted. *: every name.";

constexpr Setting kRunService[] = {
    {.name = "name",
     .at = {at<&RunSettings::name>},
     .tier = Tier::kMain,
     .format = name_format,
     .help = "Name of the service."},
    {.name = "recommend",
     .at = {at<&RunSettings::recommend>},
     .tier = Tier::kMain,
     .help = "Size replicas by their usage: short for resources-mode auto unless "
             "resources-mode is set. cpu and memory are the initial sizes; a resource "
             "without one gets advice only."},
    {.name = "environment-file",
     .at = {at<&RunSettings::environment_file>},
     .help = "File of NAME=VALUE lines that the app finds in its environment.",
     .unset = "none"},
    {.name = "run-as-user",
     .at = {at<&RunSettings::user>},
     .help = "USER, USER:GROUP or :GROUP of the app, by name or number. Without GROUP it is that "
             "of USER; the app has no other group. Bellows runs as root then.",
     .unset = "those of Bellows"},
    {.name = "no-new-privileges",
     .at = {at<&RunSettings::no_new_privileges>},
     .help = "Prevents that the app gains privileges by set-user-ID programs (sudo, su)."},
};

constexpr Setting kAddresses[] = {
    {.name = "listen",
     .at = {at<&RunSettings::listen>, at<&ActivatorSettings::listen>},
     .tier = Tier::kMain,
     .help = "Address for requests."},
    {.name = "listen",
     .at = {at<&AutoscalerSettings::listen>},
     .tier = Tier::kMain,
     .help = "Address for stats (/v1/stats), /metrics, /healthz and /readyz.",
     .programs = Program::kAutoscaler},
    {.name = "listen",
     .at = {at<&RecommenderProgramSettings::listen>},
     .tier = Tier::kMain,
     .help = "Address of /v1/recommendations, /metrics, /healthz and /readyz. Set "
             "0.0.0.0:8942 if others scrape it, as in a container.",
     .programs = Program::kRecommenderServe},
    {.name = "admin",
     .at = {at<&RunSettings::admin>},
     .tier = Tier::kMain,
     .format = tcp_endpoint_format,
     .help = "Address of the live page for a browser, of /metrics, /healthz and /readyz, "
             "of the API of `bellows status`, and for the stats of the replicas.",
     .programs = kMachine},
    {.name = "admin",
     .at = {at<&ActivatorSettings::admin>},
     .tier = Tier::kMain,
     .help = "Address of /metrics, /healthz and /readyz.",
     .programs = Program::kActivator},
    {.name = "admin-hosts",
     .at = {at<&RunSettings::admin_hosts>},
     .help = kAdminHostsHelp,
     .unset = "none",
     .programs = kMachine},
    {.name = "admin-hosts",
     .at = {at<&ActivatorSettings::admin_hosts>, at<&AutoscalerSettings::admin_hosts>},
     .help = kAdminHostsHelp,
     .unset = "*",
     .programs = Program::kActivator | Program::kAutoscaler},
    {.name = "control-socket",
     .at = {at<&RunSettings::control_socket>},
     .help = "Path of the Unix socket, of mode 0600, by which services are retired, "
             "paused and resumed. `bellows retire` and others get it from the program.",
     .unset = "bellows-PORT.sock in XDG_RUNTIME_DIR, in /run for root, else in a new "
              "folder below /tmp",
     .programs = kMachine},
    {.name = "error-detail",
     .at = {at<&RunSettings::error_detail>, at<&ActivatorSettings::error_detail>,
            at<&QueueProxySettings::error_detail>},
     .choices = {{"generic", ErrorDetail::kGeneric}, {"full", ErrorDetail::kFull}},
     .help = "Detail of failures for callers. generic: one sentence and X-Request-Id, by which "
             "the log and `bellows explain --request` have the rest; full: also names and "
             "addresses of replicas, hosts of other services and the app's last line of output. "
             "With full the pages of the admin port have such lines and commands too, otherwise "
             "the control socket alone.",
     .programs = kMachine | Program::kActivator | Program::kQueueProxy},
    {.name = "autoscaler",
     .at = {at<&ActivatorSettings::autoscaler>},
     .tier = Tier::kMain,
     .is_required = true,
     .help = "WebSocket that receives stats and scale-from-zero triggers.",
     .programs = Program::kActivator},
    {.name = "name",
     .at = {at<&ActivatorSettings::name>},
     .tier = Tier::kMain,
     .format = name_format,
     .help = "Name in stats; unique among activators.",
     .unset = "the host name, which is that of the pod",
     .programs = Program::kActivator},
};

constexpr Setting kMachineRows[] = {
    {.name = "workers",
     .at = {at<&RunSettings::workers>, at<&ActivatorSettings::workers>},
     .tier = Tier::kMain,
     .format = workers_format,
     .help = "Event loops that serve callers, each a thread with its own connections; order and "
             "slots are the same with any number. auto: as many as the processors that the process "
             "may use. Raise it if one loop needs a whole processor (docs/production.md).",
     .programs = kMachine | Program::kActivator},
    {.name = "quiet",
     .at = {at<&RunSettings::quiet>},
     .help = "Write only warnings and errors, without the live view."},
    {.name = "detach",
     .at = {at<&RunSettings::detach>},
     .tier = Tier::kMain,
     .help = "Continue in the background, and return as soon as it serves. `bellows "
             "logs`, `reload` and `down` reach it."},
    {.name = "detach-log",
     .at = {at<&RunSettings::detach_log>},
     .help = "With `detach`: the file to which the log is appended.",
     .unset = "bellows-PORT.log, by the port of admin, in "
              "$XDG_STATE_HOME/bellows or ~/.local/state/bellows"},
    {.name = "stop-timeout",
     .at = {at<&RunSettings::stop_timeout>},
     .bounds = between(0s, 1h),
     .help = "Time that an app has to end after SIGTERM, which it gets when its last "
             "request has ended; then it is killed. Raise it for apps that write much at "
             "their end."},
    {.name = "journal-memory",
     .at = {at<&RunSettings::journal_memory>},
     .bounds = kJournal,
     .help = "Memory for the decisions of the last day, of all services together and 8 "
             "MiB of each at most. The page, `bellows journal --since` and `bellows "
             "explain --at` show them. 0: only the last 32 decisions are kept."},
    {.name = "machine-cpu",
     .at = {at<&RunSettings::machine_cpu>},
     .bounds = kCpu,
     .help = "CPU that the replicas of all services may request together, with room for the next "
             "replica of the busiest service (docs/sizing.md). 0: CPU is not counted.",
     .unset = "what the machine, or its control group, has"},
    {.name = "machine-memory",
     .at = {at<&RunSettings::machine_memory>},
     .bounds = kMemory,
     .help = "Memory that they may request together, with the same room. 0: memory is not counted.",
     .unset = "what the machine, or its control group, has"},
    {.name = "keep-revisions",
     .at = {at<&RunSettings::keep_revisions>},
     .bounds = between(0, 1000),
     .help = "Revisions without requests that are kept of each service, so that `bellows "
             "rollback` finds them."},
    {.name = "state-file",
     .at = {at<&RunSettings::state_file>},
     .tier = Tier::kMain,
     .variable = "BELLOWS_UP_STATE_FILE",
     .help = "File with the services, revisions and shares that commands have changed, so "
             "that they outlive a restart. Written with the first change.",
     .unset = "FILE.state beside the settings file; none if that is standard input",
     .programs = Program::kUp},
};

}  // namespace

std::span<const Group> machine_groups() {
  static constexpr Group kGroups[] = {
      {"Service", Program::kRun, kRunService},
      {"Addresses", kMachine | Program::kActivator, kAddresses},
      {"One machine", kMachine, kMachineRows},
  };
  return kGroups;
}

}  // namespace bellows::config
